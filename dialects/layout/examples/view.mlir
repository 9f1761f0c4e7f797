// A buffer as eight rows of four.
cube.kernel @example(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<(8,4):(4,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %e = layout.load %v at <(?,3)>(%i) : !layout.view<f32> -> f32
  cube.store %e, %y[%i] : f32, !cube.array<f32>
  cube.return
}
