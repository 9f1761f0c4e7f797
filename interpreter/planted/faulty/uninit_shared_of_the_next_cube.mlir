// Only the first cube initialises its tile; shared memory of the second cube is uninitialised.
// arg: iota i32 128
// arg: uninit i32 128
// cubes: 2
cube.kernel @uninit_shared_of_the_next_cube(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %first = arith.cmpi eq, %c, %zero : i32
  cube.if %first {
    cube.store %i, %tile[%u] : i32, !cube.shared<64 x i32>
  }
  cube.sync cube
  %v = cube.load %tile[%u] : !cube.shared<64 x i32> -> i32 // FINDS uninit
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
