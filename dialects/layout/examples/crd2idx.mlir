// The coordinate has row 1; the column is the unit's number.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<(4,(2,4)):(1,(4,32))>
  %o = layout.crd2idx %l at <(1,?)>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
