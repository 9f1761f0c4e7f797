// Each unit reads the extent of one dimension; the extent is 0 for dimensions beyond the rank.
cube.kernel @uses_shape(%x: !cube.tensor<f32>, %out: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %n = cube.shape %x, %i : !cube.tensor<f32>
  cube.store %n, %out[%i] : i32, !cube.array<i32>
  cube.return
}
