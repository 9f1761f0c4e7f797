// y = a x + y in place. The product is rounded before the sum: a fused multiply-add would change the last bit.
// RUN-ARGS: --arg a=-2.25 --arg x=%S/data/saxpy.x.npy --arg y=%S/data/saxpy.y.npy --check y=%S/data/saxpy.r.npy
cube.kernel @saxpy(%a: f32, %x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %w = cube.load %y[%i] : !cube.array<f32> -> f32
    %p = arith.mulf %a, %v : f32
    %r = arith.addf %p, %w : f32
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
