// The trip count of the loop around the barrier depends on the unit.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @barrier_in_loops_of_different_length(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %most = arith.andi %u, %one : i32
  cube.for %k = %zero to %most step %one : i32 {
    cube.sync cube // FINDS barriers
  }
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
