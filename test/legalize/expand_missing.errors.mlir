// RUN: cube-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(expand-missing))'

// expected-error @+1 CUBE0412.lacks {op = "cube.kernel", chip = "wgsl:core", ty = "f64"}
cube.kernel @argument(%f: f64) {
  cube.return
}

// -----

cube.kernel @between(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  // expected-error @+1 CUBE0412.lacks {op = "arith.truncf", chip = "wgsl:core", ty = "f16"}
  %h = arith.truncf %f : f32 to f16
  %g = arith.extf %h : f16 to f32
  cube.store %g, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @line(%v: !cube.array<i32, 4>, %x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %l = cube.load %v[%zero] : !cube.array<i32, 4> -> vector<4xi32>
  // expected-error @+1 CUBE0412.lacks {op = "arith.extui", chip = "wgsl:core", ty = "i64"}
  %w = arith.extui %l : vector<4xi32> to vector<4xi64>
  cube.return
}
