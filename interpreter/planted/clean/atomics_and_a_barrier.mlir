// Units add to a counter atomically and read it after a barrier: no data race.
// arg: zeros i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @atomics_and_a_barrier(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %old = cube.atomic_rmw addi %one, %x[%zero] : i32, !cube.array<i32>
  cube.sync cube
  %v = cube.load %x[%zero] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
