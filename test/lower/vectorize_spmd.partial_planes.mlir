// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions,vectorize-spmd,canonicalize,cse))' | FileCheck %s

// Absent lanes must not change a vote: for `all` they vote true, and their results are not stored.
// CHECK-LABEL: cube.kernel @absent
// CHECK-DAG: %[[YES:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK-DAG: %[[THERE:.*]] = arith.constant dense<[true, true, true, true, true, false, {{(false, )*}}false]>
// CHECK: %[[V:.*]] = vector.maskedload %x[%c0], %[[THERE]]
// CHECK: %[[Q:.*]] = arith.cmpi sgt, %[[V]],
// CHECK: %[[OWN:.*]] = arith.select %[[THERE]], %[[Q]], %[[YES]]
// CHECK: vector.reduction <and>, %[[OWN]]
// CHECK: vector.maskedstore %y[%c0], %[[THERE]]
cube.kernel @absent(%x: memref<?xi32>, %y: memref<?xi32>) cube_dim(5) {
  %zero = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %q = arith.cmpi sgt, %v, %zero : i32
  %all = cube.plane_vote all %q
  %a = arith.extui %all : i1 to i32
  memref.store %a, %y[%i] : memref<?xi32>
  cube.return
}

// 40 units are one full plane without masks and one plane with 8 lanes; the absent lanes add 0.
// CHECK-LABEL: cube.kernel @rest
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<32xi32>
// CHECK-DAG: %[[THERE:.*]] = arith.constant dense<[true, true, true, true, true, true, true, true, false, {{(false, )*}}false]>
// CHECK: vector.load %x[%c0] : memref<?xi32>, vector<32xi32>
// CHECK: vector.store %{{.*}}, %x[%c0]
// CHECK: %[[OWN:.*]] = vector.maskedload %x[%c32], %[[THERE]], %[[ZERO]]
// CHECK: arith.select %[[THERE]], %[[OWN]], %[[ZERO]]
// CHECK: vector.maskedstore %x[%c32], %[[THERE]]
cube.kernel @rest(%x: memref<?xi32>) cube_dim(40) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %sum = cube.plane_reduce addi %v : i32
  memref.store %sum, %x[%i] : memref<?xi32>
  cube.return
}

// The active mask of an arm is the conjunction of the plane's units and the condition: absent lanes are in neither arm.
// CHECK-LABEL: cube.kernel @arms
// CHECK-DAG: %[[OFF:.*]] = arith.constant dense<false> : vector<32xi1>
// CHECK-DAG: %[[THERE:.*]] = arith.constant dense<[true, true, true, true, true, false, {{(false, )*}}false]>
// CHECK-DAG: %[[ON:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK: %[[LOW:.*]] = arith.cmpi slt
// CHECK: %[[FIRST:.*]] = arith.select %[[THERE]], %[[LOW]], %[[OFF]]
// CHECK: vector.maskedstore %x[%c0], %[[FIRST]]
// CHECK: %[[NOT:.*]] = arith.xori %[[LOW]], %[[ON]]
// CHECK: %[[SECOND:.*]] = arith.select %[[THERE]], %[[NOT]], %[[OFF]]
// CHECK: vector.maskedstore %y[%c0], %[[SECOND]]
cube.kernel @arms(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32) cube_dim(5) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %sum = cube.plane_reduce addi %v : i32
  %low = arith.cmpi slt, %v, %n : i32
  scf.if %low {
    memref.store %sum, %x[%i] : memref<?xi32>
  } else {
    memref.store %n, %y[%i] : memref<?xi32>
  }
  cube.return
}
