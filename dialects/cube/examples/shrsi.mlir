// a >> (b % 32); the shift fills with copies of the sign bit.
cube.kernel @uses_shrsi(%a: !cube.array<i32>, %b: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i32> -> i32
  %y = cube.load %b[%i] : !cube.array<i32> -> i32
  %r = cube.shrsi %x, %y : i32
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}
