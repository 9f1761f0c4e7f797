// An empty kernel, to measure the cost of a launch.
cube.kernel @nothing() cube_dim(1) {
  cube.return
}

// A kernel with minimal work: the cost of a thousand launches is almost only launch overhead.
cube.kernel @small(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(256) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %factor : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
