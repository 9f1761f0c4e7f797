// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(remove-checks))' --split-input-file --verify-diagnostics
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(remove-checks,expand-checks))' --split-input-file --verify-diagnostics

// Every access has a proof.
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

// The attribute applies to its kernel only.
cube.kernel @other(%x: !cube.array<f32>, %i: i32) cube_dim(64) {
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @no_guard(%x: !cube.array<f32>, %y: !cube.array<f32>, %i: i32) cube_dim(64) attributes {cube.deny_checks} {
  // expected-error @below {{deny_checks: 'cube.load' needs a bounds check, because no condition around it compares its index with the length; put it into scf.if of arith.cmpi ult, %index, %length}}
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %n = cube.len %x : !cube.array<f32>
  %c = arith.cmpi ult, %i, %n : i32
  scf.if %c {
    // expected-error @below {{deny_checks: 'cube.store' needs a bounds check, because the condition compares its index with another value than the length; compare the index with cube.len of the buffer}}
    cube.store %v, %y[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

cube.kernel @comparison(%x: !cube.array<f32>, %i: i32, %v: f32) cube_dim(64) attributes {cube.deny_checks} {
  %n = cube.len %x : !cube.array<f32>
  %c = arith.cmpi ule, %i, %n : i32
  scf.if %c {
    // expected-error @below {{deny_checks: 'cube.store' needs a bounds check, because the condition does not imply an index below the length; compare with arith.cmpi ult, %index, %length}}
    cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  }
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    // expected-error @below {{deny_checks: 'cube.store' needs a bounds check, because its loop is signed, and a length above 2^31 is negative; write the loop as scf.for unsigned}}
    cube.store %v, %x[%k] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// expected-error @below {{cube.deny_checks must have no value; write cube.deny_checks, or remove the attribute}}
cube.kernel @value(%x: !cube.array<f32>) cube_dim(64) attributes {cube.deny_checks = false} {
  cube.return
}
