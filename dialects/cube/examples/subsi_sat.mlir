// The result saturates at the smallest or largest value of the type.
cube.kernel @uses_subsi_sat(%a: !cube.array<i8>, %b: !cube.array<i8>, %out: !cube.array<i8>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i8> -> i8
  %y = cube.load %b[%i] : !cube.array<i8> -> i8
  %r = cube.subsi_sat %x, %y : i8
  cube.store %r, %out[%i] : i8, !cube.array<i8>
  cube.return
}
