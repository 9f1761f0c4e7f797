// Multiplies every element of an array by a number.
cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(256) {
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
