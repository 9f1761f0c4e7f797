// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-checks))' --cube-stats 2>%t.stats | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.stats
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-checks,expand-checks))' | FileCheck %s

// A checked load outside of the buffer gives zero of the line's type.
// CHECK-LABEL: @load
// CHECK: %[[N:.*]] = cube.len %x : !cube.array<f32, 4>
// CHECK-NEXT: %[[C:.*]] = arith.cmpi ult, %i, %[[N]] : i32
// CHECK-NEXT: %[[V:.*]] = scf.if %[[C]] -> (vector<4xf32>) {
// CHECK-NEXT:   %[[L:.*]] = cube.load %x[%i] inbounds : !cube.array<f32, 4> -> vector<4xf32>
// CHECK-NEXT:   scf.yield %[[L]] : vector<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:   scf.yield %[[Z]] : vector<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: cube.store %[[V]], %x[%i] inbounds
cube.kernel @load(%x: !cube.array<f32, 4>, %i: i32) {
  %v = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>
  cube.store %v, %x[%i] inbounds : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// A checked store outside of the buffer is dropped; the guard compares with the length of the stored buffer.
// CHECK-LABEL: @store
// CHECK: %[[N:.*]] = cube.len %y : !cube.array<i1>
// CHECK-NEXT: %[[C:.*]] = arith.cmpi ult, %j, %[[N]] : i32
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT:   cube.store %v, %y[%j] inbounds : i1, !cube.array<i1>
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: cube.return
cube.kernel @store(%x: !cube.array<i64>, %y: !cube.array<i1>, %j: i32, %v: i1) {
  cube.store %v, %y[%j] checked : i1, !cube.array<i1>
  cube.return
}

// The default value has the type of the access, here i64; an access that is in bounds gets no guard.
// CHECK-LABEL: @others
// CHECK: arith.constant 0 : i64
// CHECK: cube.store %{{.*}}, %x[%i] inbounds : i64
// CHECK-NOT: scf.if
// CHECK: cube.load %x[%i] inbounds : !cube.array<i64> -> i64
cube.kernel @others(%x: !cube.array<i64>, %i: i32) {
  %v = cube.load %x[%i] checked : !cube.array<i64> -> i64
  cube.store %v, %x[%i] inbounds : i64, !cube.array<i64>
  %w = cube.load %x[%i] inbounds : !cube.array<i64> -> i64
  cube.store %w, %x[%i] inbounds : i64, !cube.array<i64>
  cube.return
}

// STATS-DAG: expand-checks 2 loads guarded
// STATS-DAG: expand-checks 1 stores guarded
