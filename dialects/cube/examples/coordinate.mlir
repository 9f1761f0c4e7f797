// The row of each element of a matrix.
cube.kernel @uses_coordinate(%x: !cube.tensor<f32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %row = cube.coordinate %x, %i, %zero : !cube.tensor<f32>
  cube.store %row, %out[%i] : i32, !cube.array<i32>
  cube.return
}
