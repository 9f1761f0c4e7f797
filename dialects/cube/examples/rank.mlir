// The number of dimensions of the tensor that the host has bound.
cube.kernel @uses_rank(%x: !cube.tensor<f32>, %out: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %n = cube.rank %x : !cube.tensor<f32>
  cube.store %n, %out[%zero] : i32, !cube.array<i32>
  cube.return
}
