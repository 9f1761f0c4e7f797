// All units write the same line.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @race_same_line(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  cube.store %i, %y[%zero] : i32, !cube.array<i32> // FINDS races
  cube.return
}
