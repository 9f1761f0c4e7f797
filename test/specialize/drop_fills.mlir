// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(drop-fills))' --split-input-file | FileCheck %s

// The zeros are removed: a loop overwrites all lines and reads no line before writing it.
// CHECK-LABEL: @overwritten(
// CHECK-NOT: cube.store
// CHECK: scf.for
// CHECK-NOT: cube.store
// CHECK: scf.for
// CHECK: cube.store %{{.*}}, %{{.*}}[%{{.*}}] checked
cube.kernel @overwritten(%x: !cube.array<f32>, %at: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = arith.constant 64 : i32
  %empty = arith.constant 0.0 : f32
  %a = cube.alloc : !cube.local<64 x f32>
  cube.store %empty, %a[%one] inbounds : f32, !cube.local<64 x f32>
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %empty, %a[%i] inbounds : f32, !cube.local<64 x f32>
  }
  scf.for unsigned %i = %zero to %count step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %a[%i] checked : f32, !cube.local<64 x f32>
    %w = cube.load %a[%i] checked : !cube.local<64 x f32> -> f32
    cube.store %w, %x[%i] checked : f32, !cube.array<f32>
  }
  %r = cube.load %a[%at] checked : !cube.local<64 x f32> -> f32
  cube.store %r, %x[%at] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// The zeros are read: the loop ends one line too early.
// CHECK-LABEL: @one_short(
// CHECK: cube.store %{{.*}} inbounds
cube.kernel @one_short(%x: !cube.array<f32>, %at: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = arith.constant 64 : i32
  %less = arith.constant 63 : i32
  %empty = arith.constant 0.0 : f32
  %full = arith.constant 2.0 : f32
  %a = cube.alloc : !cube.local<64 x f32>
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %empty, %a[%i] inbounds : f32, !cube.local<64 x f32>
  }
  scf.for unsigned %i = %zero to %less step %one : i32 {
    cube.store %full, %a[%i] checked : f32, !cube.local<64 x f32>
  }
  %r = cube.load %a[%at] checked : !cube.local<64 x f32> -> f32
  cube.store %r, %x[%at] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// The zeros are read: the loop writes one line and reads the next line.
// CHECK-LABEL: @reads_ahead(
// CHECK: cube.store %{{.*}} inbounds
cube.kernel @reads_ahead(%x: !cube.array<f32>, %at: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = arith.constant 64 : i32
  %empty = arith.constant 0.0 : f32
  %full = arith.constant 2.0 : f32
  %a = cube.alloc : !cube.local<64 x f32>
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %empty, %a[%i] inbounds : f32, !cube.local<64 x f32>
  }
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %full, %a[%i] checked : f32, !cube.local<64 x f32>
    %next = arith.addi %i, %one : i32
    %r = cube.load %a[%next] checked : !cube.local<64 x f32> -> f32
    cube.store %r, %x[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The zeros are read: a line is written under a condition, or read before the loop.
// CHECK-LABEL: @sometimes(
// CHECK: cube.store %{{.*}} inbounds
// CHECK-LABEL: @read_before(
// CHECK: cube.store %{{.*}} inbounds
cube.kernel @sometimes(%x: !cube.array<f32>, %at: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = arith.constant 64 : i32
  %empty = arith.constant 0.0 : f32
  %full = arith.constant 2.0 : f32
  %a = cube.alloc : !cube.local<64 x f32>
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %empty, %a[%i] inbounds : f32, !cube.local<64 x f32>
  }
  scf.for unsigned %i = %zero to %count step %one : i32 {
    %c = arith.cmpi ult, %i, %at : i32
    scf.if %c {
      cube.store %full, %a[%i] checked : f32, !cube.local<64 x f32>
    }
  }
  %r = cube.load %a[%at] checked : !cube.local<64 x f32> -> f32
  cube.store %r, %x[%at] checked : f32, !cube.array<f32>
  cube.return
}
cube.kernel @read_before(%x: !cube.array<f32>, %at: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = arith.constant 64 : i32
  %empty = arith.constant 0.0 : f32
  %full = arith.constant 2.0 : f32
  %a = cube.alloc : !cube.local<64 x f32>
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %empty, %a[%i] inbounds : f32, !cube.local<64 x f32>
  }
  %r = cube.load %a[%at] checked : !cube.local<64 x f32> -> f32
  cube.store %r, %x[%at] checked : f32, !cube.array<f32>
  scf.for unsigned %i = %zero to %count step %one : i32 {
    cube.store %full, %a[%i] checked : f32, !cube.local<64 x f32>
  }
  cube.return
}
