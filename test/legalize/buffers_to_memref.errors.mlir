// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(buffers-to-memref))' --verify-diagnostics --split-input-file

cube.kernel @checked_load(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0310.reached {what = "a checked access", passes = "expand-checks"}
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.return
}

// -----

cube.kernel @checked_store(%x: !cube.array<f32>, %i: i32, %v: f32) {
  // expected-error@+1 CUBE0310.reached {what = "a checked access", passes = "expand-checks"}
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// The access is neither checked nor `inbounds`. Treating it as in bounds could read arbitrary memory.
cube.kernel @undecided(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0310.reached {what = "an access that is neither checked nor inbounds", passes = "specialize and expand-checks"}
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.return
}
