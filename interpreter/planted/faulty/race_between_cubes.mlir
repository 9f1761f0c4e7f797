// Each unit writes at its position in the cube, so two cubes write the same lines.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 2
cube.kernel @race_between_cubes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  cube.store %c, %y[%u] : i32, !cube.array<i32> // FINDS races
  cube.return
}
