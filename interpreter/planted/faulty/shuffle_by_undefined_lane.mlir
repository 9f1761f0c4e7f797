// The source lane of the shuffle is the undefined result of a shift by too large an amount.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @shuffle_by_undefined_lane(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %bad = arith.shli %one, %n : i32
  %a = cube.plane_shuffle idx %i, %bad : i32 // FINDS ub
  cube.store %a, %y[%i] : i32, !cube.array<i32>
  cube.return
}
