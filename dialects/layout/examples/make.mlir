// A layout whose pitch is known only at run time.
cube.kernel @example(%y: !cube.array<i32>, %pitch: i32) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.make #layout.layout<(2,4):(?,1)>(%pitch)
  %o = layout.crd2idx %l at <?>(%i)
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
