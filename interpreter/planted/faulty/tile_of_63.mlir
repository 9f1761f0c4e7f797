// The tile has 63 lines for 64 units.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @tile_of_63(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %tile = cube.alloc : !cube.shared<63 x i32>
  cube.store %i, %tile[%u] : i32, !cube.shared<63 x i32> // FINDS bounds
  cube.sync cube
  %v = cube.load %tile[%u] : !cube.shared<63 x i32> -> i32 // FINDS bounds
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
