// The kernel adds its result to the uninitialised output.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @uninit_output(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %v = cube.load %y[%i] : !cube.array<i32> -> i32 // FINDS uninit
  %w = arith.addi %v, %one : i32
  cube.store %w, %y[%i] : i32, !cube.array<i32>
  cube.return
}
