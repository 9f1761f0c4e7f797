// Two cubes access the same lines; a barrier orders only the units of one cube.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 2
cube.kernel @race_barrier_does_not_order_cubes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(1) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %o = arith.subi %one, %c : i32
  cube.store %u, %y[%c] : i32, !cube.array<i32> // FINDS races
  cube.sync cube
  %w = cube.load %y[%o] : !cube.array<i32> -> i32 // FINDS races uninit
  cube.return
}
