// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(buffers-to-memref))' --verify-diagnostics --split-input-file

cube.kernel @checked_load(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 {{a checked access reached buffers-to-memref; run expand-checks before it [CUBE0310]}}
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @checked_store(%x: !cube.array<f32>, %i: i32, %v: f32) {
  // expected-error@+1 {{a checked access reached buffers-to-memref; run expand-checks before it [CUBE0310]}}
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// Silently taking it as in bounds would read anywhere.
cube.kernel @undecided(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 {{an access of undecided bounds reached buffers-to-memref; run specialize and expand-checks before it [CUBE0310]}}
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.return
}
