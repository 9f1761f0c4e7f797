// Units exchange the elements of a tile through shared memory.
cube.kernel @uses_alloc(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %last = arith.constant 63 : i32
  %tile = cube.alloc : !cube.shared<64 x f32>
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %v, %tile[%u] : f32, !cube.shared<64 x f32>
  cube.sync cube
  %other = arith.subi %last, %u : i32
  %w = cube.load %tile[%other] : !cube.shared<64 x f32> -> f32
  cube.store %w, %out[%i] : f32, !cube.array<f32>
  cube.return
}
