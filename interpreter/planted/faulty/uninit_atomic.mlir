// Units add to a counter in shared memory that is not initialised.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @uninit_atomic(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %old = cube.atomic_rmw addi %one, %tile[%zero] : i32, !cube.shared<64 x i32> // FINDS uninit
  cube.store %old, %y[%i] : i32, !cube.array<i32>
  cube.return
}
