// Converts an index to a coordinate of a layout with shape (2,4).
cube.kernel @example(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<(2,4):(4,1)>
  %r, %c = layout.idx2crd %i, %l : i32, i32
  %o = arith.muli %r, %c : i32
  cube.store %o, %y[%i] : i32, !cube.array<i32>
  cube.return
}
