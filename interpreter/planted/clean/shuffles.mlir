// Shuffles from lanes inside and outside of the plane.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @shuffles(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %a = cube.plane_shuffle xor %i, %one : i32
  %b = cube.plane_shuffle up %a, %two : i32
  %d = cube.plane_shuffle down %b, %one : i32
  %e = cube.plane_broadcast %d, %two : i32
  cube.store %e, %y[%i] : i32, !cube.array<i32>
  cube.return
}
