// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions,vectorize-spmd,canonicalize,cse))' | FileCheck %s

// Lanes leave the loop at different iterations. The loop runs while a lane is active, and stores use the active mask. A
// lane that has left keeps its count; the count stays one scalar, because it is equal for all active lanes.
// CHECK-LABEL: cube.kernel @while_lane
// CHECK-DAG: %[[OFF:.*]] = arith.constant dense<false> : vector<32xi1>
// CHECK-DAG: %[[ON:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK: %[[END:.*]]:5 = scf.while (%[[LANES:.*]] = %[[ON]], %[[K:.*]] = %{{.*}}, %[[COUNT:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[KEPT:.*]] = %{{.*}})
// CHECK: %[[GO:.*]] = arith.cmpi sgt, %[[K]],
// CHECK: %[[LEFT:.*]] = arith.select %[[LANES]], %[[GO]], %[[OFF]]
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LEFT]]
// CHECK: %[[ALL:.*]] = vector.broadcast %[[COUNT]] : i32 to vector<32xi32>
// CHECK: %[[KEEPS:.*]] = arith.select %[[LANES]], %[[ALL]], %[[KEPT]]
// CHECK: scf.condition(%[[ANY]]) %[[LEFT]], %[[K]], %[[COUNT]], %{{.*}}, %[[KEEPS]]
// CHECK: ^bb0(%[[ACTIVE:.*]]: vector<32xi1>, %{{.*}}: vector<32xi32>, %[[SO_FAR:.*]]: i32,
// CHECK: %[[NEXT:.*]] = arith.addi %[[SO_FAR]], %n : i32
// CHECK: %[[STORED:.*]] = vector.broadcast %[[NEXT]]
// CHECK: vector.maskedstore %x[%c0], %[[ACTIVE]], %[[STORED]]
// CHECK: vector.store %[[END]]#4, %x[%c0]
cube.kernel @while_lane(%x: memref<?xi32>, %n: i32) cube_dim(32) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %sum = cube.plane_reduce addi %v : i32
  %r:2 = scf.while (%k = %v, %c = %sum) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%go) %k, %c : i32, i32
  } do {
  ^bb0(%k: i32, %c: i32):
    %next = arith.subi %k, %one : i32
    %count = arith.addi %c, %n : i32
    memref.store %count, %x[%i] : memref<?xi32>
    scf.yield %next, %count : i32, i32
  }
  memref.store %r#1, %x[%i] : memref<?xi32>
  cube.return
}

// A loop under a branch starts with the active mask of the branch, and its plane operations apply to the lanes still in
// the loop. If all lanes take the branch, the loop starts with all lanes and the result is stored without a mask.
// CHECK-LABEL: cube.kernel @in_a_branch
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<32xi32>
// CHECK-DAG: %[[ON:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK: %[[LOW:.*]] = arith.cmpi slt
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[LOW]]
// CHECK: scf.if %[[ALL]] {
// CHECK:   scf.while (%{{.*}} = %[[ON]],
// CHECK:   vector.store %{{.*}}#2, %x[%c0]
// CHECK: } else {
// CHECK:   %[[SOME:.*]] = vector.reduction <or>, %[[LOW]]
// CHECK:   scf.if %[[SOME]] {
// CHECK:     %[[END:.*]]:3 = scf.while (%[[LANES:.*]] = %[[LOW]], %[[K:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:     arith.select %[[LANES]], %[[K]], %[[ZERO]]
// CHECK:     vector.maskedstore %x[%c0], %[[LOW]], %[[END]]#2
cube.kernel @in_a_branch(%x: memref<?xi32>, %n: i32) cube_dim(32) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.cmpi slt, %v, %n : i32
  scf.if %low {
    %r = scf.while (%k = %v) : (i32) -> i32 {
      %sum = cube.plane_reduce addi %k : i32
      %go = arith.cmpi sgt, %k, %sum : i32
      scf.condition(%go) %k : i32
    } do {
    ^bb0(%k: i32):
      %next = arith.subi %k, %one : i32
      scf.yield %next : i32
    }
    memref.store %r, %x[%i] : memref<?xi32>
  }
  cube.return
}
