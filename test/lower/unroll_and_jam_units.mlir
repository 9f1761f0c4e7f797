// RUN: cube-opt %s --pass-pipeline='builtin.module(unroll-and-jam-units{units=2})' | FileCheck %s

// The loop processes two units at a time, with their sums in one inner loop; a separate loop processes the last unit.
// CHECK-LABEL: @sums
// CHECK: %[[COUNT:.*]] = arith.subi
// CHECK: %[[REST:.*]] = arith.remui %[[COUNT]], %c2_i64
// CHECK: %[[WHOLE:.*]] = arith.subi %[[COUNT]], %[[REST]]
// CHECK: %[[MIDDLE:.*]] = arith.addi %arg2, %[[WHOLE]]
// CHECK: scf.for unsigned %[[U:.*]] = %arg2 to %[[MIDDLE]] step %c2_i64
// CHECK:   %[[NEXT:.*]] = arith.addi %[[U]], %c1_i64
// CHECK:   %[[SUMS:.*]]:2 = scf.for unsigned {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:     arith.addf %[[A]]
// CHECK:     arith.addf %[[B]]
// CHECK:   memref.store %[[SUMS]]#0
// CHECK:   memref.store %[[SUMS]]#1
// CHECK: scf.for unsigned %{{.*}} = %[[MIDDLE]] to %arg3
func.func @sums(%x: memref<?xf32>, %y: memref<?xf32>, %from: i64, %to: i64, %cols: i32) {
  %one64 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  scf.for unsigned %u = %from to %to step %one64 : i64 {
    %unit = arith.trunci %u overflow<nuw> : i64 to i32
    %row = arith.muli %unit, %cols : i32
    %sum = scf.for unsigned %c = %zero to %cols step %one iter_args(%s = %start) -> (f32) : i32 {
      %i = arith.addi %row, %c : i32
      %at = arith.index_castui %i : i32 to index
      %v = memref.load %x[%at] : memref<?xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    %place = arith.index_castui %unit : i32 to index
    memref.store %sum, %y[%place] : memref<?xf32>
  }
  return
}

// Units whose inner loops have different trip counts are not jammed.
// CHECK-LABEL: @triangle
// CHECK-NOT: step %c2_i64
func.func @triangle(%x: memref<?xf32>, %from: i64, %to: i64) {
  %one64 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  scf.for unsigned %u = %from to %to step %one64 : i64 {
    %unit = arith.trunci %u overflow<nuw> : i64 to i32
    %sum = scf.for unsigned %c = %zero to %unit step %one iter_args(%s = %start) -> (f32) : i32 {
      %next = arith.addf %s, %start : f32
      scf.yield %next : f32
    }
    %place = arith.index_castui %unit : i32 to index
    memref.store %sum, %x[%place] : memref<?xf32>
  }
  return
}
