// Each unit receives the sum of its plane's values.
cube.kernel @uses_plane_reduce(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = cube.plane_reduce addf %v : f32
  cube.store %r, %out[%i] : f32, !cube.array<f32>
  cube.return
}
