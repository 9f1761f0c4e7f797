// The distance between neighbouring elements along each dimension.
cube.kernel @uses_stride(%x: !cube.tensor<f32>, %out: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %n = cube.stride %x, %i : !cube.tensor<f32>
  cube.store %n, %out[%i] : i32, !cube.array<i32>
  cube.return
}
