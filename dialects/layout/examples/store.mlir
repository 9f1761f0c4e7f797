// A tile with its rows swizzled: unit i writes column i.
cube.kernel @example(%x: !cube.array<f32>) cube_dim(8) {
  %i = cube.topology unit_pos
  %l = layout.constant #layout.layout<Sw<2,0,2> o 0 o (4,8):(1,4)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %r = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  layout.store %r, %v at <(_,?)>(%i) : vector<4xf32>, !layout.view<f32>
  cube.return
}
