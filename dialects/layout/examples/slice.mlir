// The slice at the unit's number is one row; the kernel reads the last element of the row.
cube.kernel @example(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<(8,4):(4,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %row = layout.slice %v at <(?,_)>(%i) : !layout.view<f32>
  %e = layout.load %row at <3> : !layout.view<f32> -> f32
  cube.store %e, %y[%i] : f32, !cube.array<f32>
  cube.return
}
