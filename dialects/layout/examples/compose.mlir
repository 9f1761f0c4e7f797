// Every second element of a matrix with four rows of 16 elements, counted by columns.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %a = layout.constant #layout.layout<(4,16):(16,1)>
  %b = layout.constant #layout.layout<8:2>
  %l = layout.compose %a, %b : !layout.layout
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
