// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-checks))' --split-input-file --verify-diagnostics

// Without `remove-checks`, a pipeline keeps every check, which `cube.deny_checks` rejects.
cube.kernel @omitted(%x: !cube.array<f32>, %v: f32) cube_dim(64) attributes {cube.deny_checks} {
  %i = cube.topology absolute_pos
  // expected-error@+1 CUBE0324.no_guard
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}
