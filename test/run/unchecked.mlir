// `unchecked` is the caller's promise that every access is in bounds. Here it holds, so the result is unchanged.
// RUN-ARGS: --arg x=%S/data/scale.x.npy --arg y=zeros:x --arg factor=1.5 --check y=%S/data/scale.y.npy --cube-count 125
cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(8) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %factor : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
