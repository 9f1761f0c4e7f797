// Tiles of 2 by 4: the first mode is the tile, followed by the modes over the tiles.
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  %t = layout.constant #layout.layout<(2,4):(1,1)>
  %l = layout.tiled_divide %a by modes %t : !layout.layout
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
