// Nothing: what a launch costs.
cube.kernel @nothing() cube_dim(1) {
  cube.return
}

// As little as a kernel does: a thousand of these are a thousand launches and little else.
cube.kernel @small(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(256) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %factor : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
