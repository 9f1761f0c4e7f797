// (2,4):(1,2) coalesces to 8:1, eight neighbouring elements.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %a = layout.constant #layout.layout<(2,4):(1,2)>
  %l = layout.coalesce %a
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
