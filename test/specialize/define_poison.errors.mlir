// RUN: cube-opt %s --define-poison --verify-diagnostics

cube.kernel @buffer(%x: !cube.array<i32>, %i: i32) cube_dim(1) {
  // expected-error@+1 CUBE0417 {ty = "!cube.array<i32>"}
  %b = ub.poison : !cube.array<i32>
  %v = cube.load %b[%i] : !cube.array<i32> -> i32
  cube.store %v, %x[%i] : i32, !cube.array<i32>
  cube.return
}
