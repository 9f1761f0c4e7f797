// Four copies of a pair of elements.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %a = layout.constant #layout.layout<2:1>
  %b = layout.constant #layout.layout<4:1>
  %l = layout.logical_product %a, %b
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
