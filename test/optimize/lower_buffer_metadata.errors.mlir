// RUN: cube-opt %s --lower-buffer-metadata --split-input-file --verify-diagnostics

cube.kernel @k(%a: !cube.tensor<f32>, %b: !cube.tensor<f32>, %out: !cube.array<i32>, %p: i1) {
  %zero = arith.constant 0 : i32
  %t = arith.select %p, %a, %b : !cube.tensor<f32>
  // expected-error@+1 CUBE0313.chosen {op = "cube.shape", ty = "!cube.tensor<f32>"}
  %s = cube.shape %t, %zero : !cube.tensor<f32>
  cube.store %s, %out[%zero] : i32, !cube.array<i32>
  cube.return
}
