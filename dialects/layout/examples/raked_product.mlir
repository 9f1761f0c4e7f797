// Two blocks of 2 by 2 elements, with interleaved columns.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %a = layout.constant #layout.layout<(2,2):(1,2)>
  %b = layout.constant #layout.layout<(1,2):(0,1)>
  %l = layout.raked_product %a, %b
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
