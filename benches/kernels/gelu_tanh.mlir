// The tanh approximation of GELU: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
cube.kernel @gelu_tanh(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %root = arith.constant 0.79788456080286541 : f32
    %square = arith.mulf %v, %v : f32
    %cube = arith.mulf %square, %v : f32
    %rest = arith.mulf %cube, %cubic : f32
    %inner = arith.addf %v, %rest : f32
    %scaled = arith.mulf %inner, %root : f32
    %tanh = math.tanh %scaled : f32
    %sum = arith.addf %one, %tanh : f32
    %halved = arith.mulf %v, %half : f32
    %r = arith.mulf %halved, %sum : f32
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
