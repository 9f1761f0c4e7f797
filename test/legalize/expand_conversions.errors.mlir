// RUN: cube-opt %s --expand-conversions --split-input-file --verify-diagnostics

cube.kernel @k(%x: !cube.array<f8E5M2>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<f8E5M2> -> f8E5M2
  // expected-error@+1 CUBE0314.stored {op = "arith.addf", element = "f8E5M2"}
  %w = arith.addf %v, %v : f8E5M2
  cube.store %w, %x[%i] : f8E5M2, !cube.array<f8E5M2>
  cube.return
}
