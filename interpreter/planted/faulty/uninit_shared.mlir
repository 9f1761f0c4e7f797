// Odd lines of the tile are never written.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @uninit_shared(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %odd = arith.andi %u, %one : i32
  %even = arith.cmpi eq, %odd, %zero : i32
  cube.if %even {
    cube.store %i, %tile[%u] : i32, !cube.shared<64 x i32>
  }
  cube.sync cube
  %v = cube.load %tile[%u] : !cube.shared<64 x i32> -> i32 // FINDS uninit
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
