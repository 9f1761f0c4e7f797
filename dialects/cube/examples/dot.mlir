// The sum of the four signed bytes of each word, as products with four bytes of 1.
cube.kernel @sums_of_bytes(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %ones = arith.constant 16843009 : i32
  %r = cube.dot %v, %ones : i32
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}
