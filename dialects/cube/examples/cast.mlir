// Converts floats to bytes: values outside of the range saturate, and NaN becomes 0.
cube.kernel @uses_cast(%x: !cube.array<f32>, %out: !cube.array<i8>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = cube.cast %v to_unsigned : f32 to i8
  cube.store %r, %out[%i] : i8, !cube.array<i8>
  cube.return
}
