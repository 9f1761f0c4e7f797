// Two rows of four units, with two neighbouring values for each unit: the offset of value 0 of a unit in the tile.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %t = layout.constant #layout.layout<(2,4):(4,1)>
  %v = layout.constant #layout.layout<(1,2):(2,1)>
  %l, %tile = layout.make_tv %t, %v
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
