// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(version-checks,expand-checks))' --split-input-file --verify-diagnostics

// `cube.deny_checks` permits checks that the launcher evaluates.
cube.kernel @launch(%x: !cube.array<i32>, %i: i32) cube_dim(64) attributes {cube.deny_checks} {
  cube.store %i, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @memory(%x: !cube.array<i32>) cube_dim(64) attributes {cube.deny_checks} {
  %zero = arith.constant 0 : i32
  cube.store %zero, %x[%zero] checked : i32, !cube.array<i32>
  %i = cube.load %x[%zero] checked : !cube.array<i32> -> i32
  // expected-error@+1 CUBE0324.no_guard
  cube.store %i, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}
