// RUN: cube-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(cube.kernel(expand-math))'

cube.kernel @integer_power(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
  // expected-error@+1 CUBE0311.function {op = "math.ipowi"}
  %r = math.ipowi %v, %v : i32
  cube.store %r, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @wide(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %w = arith.extf %v : f32 to f80
  // expected-error@+1 CUBE0311.of_type {op = "math.exp", ty = "f80"}
  %r = math.exp %w : f80
  %s = arith.truncf %r : f80 to f32
  cube.store %s, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}
