// The result saturates at 0.
cube.kernel @uses_subui_sat(%a: !cube.array<i8>, %b: !cube.array<i8>, %out: !cube.array<i8>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i8> -> i8
  %y = cube.load %b[%i] : !cube.array<i8> -> i8
  %r = cube.subui_sat %x, %y : i8
  cube.store %r, %out[%i] : i8, !cube.array<i8>
  cube.return
}
