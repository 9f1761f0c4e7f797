// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(remove-checks,expand-checks))' --split-input-file --verify-diagnostics

// Every access has a proof, so the kernel has no errors.
cube.kernel @proven(%x: !cube.array<f32>) cube_dim(64) attributes {cube.deny_checks} {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  %c = arith.cmpi ult, %i, %n : i32
  scf.if %c {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The attribute applies only to the kernel that has it.
cube.kernel @other(%x: !cube.array<f32>, %i: i32) cube_dim(64) {
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @no_guard(%x: !cube.array<f32>, %y: !cube.array<f32>, %i: i32) cube_dim(64) attributes {cube.deny_checks} {
  // expected-error@+1 CUBE0324.no_guard
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %n = cube.len %x : !cube.array<f32>
  %c = arith.cmpi ult, %i, %n : i32
  scf.if %c {
    // expected-error@+1 CUBE0324.other_limit
    cube.store %v, %y[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

cube.kernel @comparison(%x: !cube.array<f32>, %i: i32, %v: f32) cube_dim(64) attributes {cube.deny_checks} {
  %n = cube.len %x : !cube.array<f32>
  %c = arith.cmpi ule, %i, %n : i32
  scf.if %c {
    // expected-error@+1 CUBE0324.other_comparison
    cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  }
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    // expected-error@+1 CUBE0324.signed_loop
    cube.store %v, %x[%k] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// expected-error@+1 CUBE0324.value
cube.kernel @value(%x: !cube.array<f32>) cube_dim(64) attributes {cube.deny_checks = false} {
  cube.return
}
