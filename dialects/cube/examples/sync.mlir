// A barrier makes every unit wait until its neighbour has stored a value.
cube.kernel @uses_sync(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %one = arith.constant 1 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %tile[%u] : i32, !cube.shared<64 x i32>
  cube.sync cube
  %next = arith.xori %u, %one : i32
  %w = cube.load %tile[%next] : !cube.shared<64 x i32> -> i32
  cube.store %w, %out[%i] : i32, !cube.array<i32>
  cube.return
}
