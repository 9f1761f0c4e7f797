// The length of the memory behind a buffer, of which the host can bind a part.
cube.kernel @uses_buffer_len(%x: !cube.array<f32>, %out: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %n = cube.buffer_len %x : !cube.array<f32>
  cube.store %n, %out[%zero] : i32, !cube.array<i32>
  cube.return
}
