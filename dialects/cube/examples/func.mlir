cube.func @square(%x: f32) -> f32 {
  %r = arith.mulf %x, %x : f32
  cube.return %r : f32
}
cube.kernel @uses_func(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.call @square(%v) : (f32) -> f32
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  cube.return
}
