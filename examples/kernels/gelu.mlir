// GELU, an activation function of transformers, in its exact form: 0.5 x (1 + erf(x / sqrt 2)).
cube.kernel @gelu(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %inv_sqrt2 = arith.constant 0.70710678118654752 : f32
    %scaled = arith.mulf %v, %inv_sqrt2 : f32
    %erf = math.erf %scaled : f32
    %sum = arith.addf %one, %erf : f32
    %halved = arith.mulf %v, %half : f32
    %r = arith.mulf %halved, %sum : f32
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
