// Each unit writes at its absolute position, so cubes write different lines.
// arg: iota i32 128
// arg: uninit i32 128
// cubes: 2
cube.kernel @cubes_apart(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  cube.store %c, %y[%i] : i32, !cube.array<i32>
  cube.return
}
