// A row of four elements, loaded by one access if the buffer is known to be aligned.
cube.kernel @example(%x: !cube.array<f32> {cube.align = 16 : i32}, %y: !cube.array<f32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<(8,4):(4,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %r = layout.load %v at <(?,_)>(%i) : !layout.view<f32> -> vector<4xf32>
  %e = vector.reduction <add>, %r : vector<4xf32> into f32
  cube.store %e, %y[%i] : f32, !cube.array<f32>
  cube.return
}
