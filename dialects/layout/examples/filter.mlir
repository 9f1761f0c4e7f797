// `filter` removes the mode with stride 0.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %a = layout.constant #layout.layout<(2,3,8):(1,0,2)>
  %l = layout.filter %a
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
