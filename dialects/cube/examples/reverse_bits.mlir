// Bit 0 becomes bit 31.
cube.kernel @uses_reverse_bits(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %r = cube.reverse_bits %v : i32
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}
