// RUN: cube-opt %s --pass-pipeline='builtin.module(version-loops,canonicalize)' | FileCheck %s

// One 64-bit comparison before the loop selects a version without checks or the original loop.
// CHECK-LABEL: @row
// CHECK-DAG: %[[BASE:.*]] = arith.extui %arg1 : i32 to i64
// CHECK-DAG: %[[COLS:.*]] = arith.extui %arg2 : i32 to i64
// CHECK: %[[END:.*]] = arith.addi %[[BASE]], %[[COLS]] : i64
// CHECK: %[[LEN:.*]] = arith.extui %arg3 : i32 to i64
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[END]], %[[LEN]] : i64
// CHECK: scf.if %[[INSIDE]] -> (f32) {
// CHECK:   scf.for unsigned
// CHECK-NOT: arith.cmpi
// CHECK:     memref.load
// CHECK: } else {
// CHECK:   scf.for unsigned
// CHECK:     arith.cmpi ult
// CHECK:     scf.if
func.func @row(%x: memref<?xf32>, %base: i32, %cols: i32, %len: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %sum = scf.for unsigned %c = %zero to %cols step %one iter_args(%s = %start) -> (f32) : i32 {
    %i = arith.addi %base, %c : i32
    %in = arith.cmpi ult, %i, %len : i32
    %v = scf.if %in -> (f32) {
      %at = arith.index_castui %i : i32 to index
      %w = memref.load %x[%at] : memref<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %start : f32
    }
    %next = arith.addf %s, %v : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// The counter of a signed loop can be negative, so the check is not hoisted.
// CHECK-LABEL: @signed
// CHECK: scf.for %
// CHECK: arith.cmpi ult
// CHECK-NOT: arith.cmpi ule
func.func @signed(%x: memref<?xf32>, %from: i32, %cols: i32, %len: i32) {
  %one = arith.constant 1 : i32
  %value = arith.constant 1.0 : f32
  scf.for %c = %from to %cols step %one : i32 {
    %in = arith.cmpi ult, %c, %len : i32
    scf.if %in {
      %at = arith.index_castui %c : i32 to index
      memref.store %value, %x[%at] : memref<?xf32>
    }
  }
  return
}
