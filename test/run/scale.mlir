// The simplest kernel, with both zeros, infinities, NaN and a subnormal number as elements.
// RUN-ARGS: --arg x=%S/data/scale.x.npy --arg y=zeros:x --arg factor=1.5 --check y=%S/data/scale.y.npy
// RUN-ARGS: --arg x=%S/data/scale.x.npy --arg y=random:x --arg factor=1.5 --cube-count 3,2,2 \
// RUN-ARGS:   --check y=%S/data/scale.y.npy
// RUN-ARGS: --arg x=zeros:0 --arg y=zeros:0 --arg factor=1.5
cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(96) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %r = arith.mulf %v, %factor : f32
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
