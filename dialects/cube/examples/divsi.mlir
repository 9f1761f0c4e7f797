// a / b rounded towards zero; a if b is 0; MIN for MIN / -1.
cube.kernel @uses_divsi(%a: !cube.array<i32>, %b: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i32> -> i32
  %y = cube.load %b[%i] : !cube.array<i32> -> i32
  %r = cube.divsi %x, %y : i32
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}
