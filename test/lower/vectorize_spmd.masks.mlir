// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions,vectorize-spmd,canonicalize,cse))' | FileCheck %s

// The condition of a branch is a vector of 32 bits, the active mask of the first arm. The second arm runs under the
// complement. Stores become masked stores, and the mask selects the results of the branch.
// CHECK-LABEL: cube.kernel @arms
// CHECK-DAG: %[[ON:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK: %[[V:.*]] = vector.load %x
// CHECK-DAG: %[[N:.*]] = vector.broadcast %n : i32 to vector<32xi32>
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi slt, %[[V]], %[[N]] : vector<32xi32>
// CHECK: %[[A:.*]] = arith.addi %[[V]], %{{.*}} : vector<32xi32>
// CHECK-NEXT: vector.maskedstore %x[%c0], %[[LOW]], %[[A]]
// CHECK-NEXT: %[[HIGH:.*]] = arith.xori %[[LOW]], %[[ON]] : vector<32xi1>
// CHECK-NEXT: vector.maskedstore %y[%c0], %[[HIGH]], %[[N]]
// CHECK-NEXT: %[[R:.*]] = arith.select %[[LOW]], %[[A]], %[[N]] : vector<32xi1>, vector<32xi32>
// CHECK-NEXT: vector.store %[[R]], %y[%c0]
cube.kernel @arms(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32) cube_dim(32) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.cmpi slt, %v, %n : i32
  %sum = cube.plane_reduce addi %v : i32
  %r = scf.if %low -> (i32) {
    %a = arith.addi %v, %sum : i32
    memref.store %a, %x[%i] : memref<?xi32>
    scf.yield %a : i32
  } else {
    memref.store %n, %y[%i] : memref<?xi32>
    scf.yield %n : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  cube.return
}

// The mask of an inner arm is the conjunction of the outer mask and the inner condition. A lane outside of the outer
// mask is inactive in both inner arms; `not inner` alone would activate it again.
// CHECK-LABEL: cube.kernel @nested
// CHECK-DAG: %[[ON:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK-DAG: %[[OFF:.*]] = arith.constant dense<false> : vector<32xi1>
// CHECK: %[[SUM:.*]] = vector.extract %{{.*}}[0] : i32 from vector<1xi32>
// CHECK: %[[LOW:.*]] = arith.cmpi slt
// CHECK: %[[K:.*]] = vector.broadcast %k : i32
// CHECK: %[[LOWER:.*]] = arith.cmpi slt, %{{.*}}, %[[K]]
// CHECK: %[[FIRST:.*]] = arith.select %[[LOW]], %[[LOWER]], %[[OFF]] : vector<32xi1>, vector<32xi1>
// CHECK: %[[ALL:.*]] = vector.broadcast %[[SUM]]
// CHECK: vector.maskedstore %y[%c0], %[[FIRST]], %[[ALL]]
// CHECK: %[[NOT:.*]] = arith.xori %[[LOWER]], %[[ON]] : vector<32xi1>
// CHECK: %[[SECOND:.*]] = arith.select %[[LOW]], %[[NOT]], %[[OFF]] : vector<32xi1>, vector<32xi1>
// CHECK: vector.maskedstore %y[%c0], %[[SECOND]], %[[K]]
cube.kernel @nested(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32, %k: i32) cube_dim(32) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %sum = cube.plane_reduce addi %v : i32
  %low = arith.cmpi slt, %v, %n : i32
  %lower = arith.cmpi slt, %v, %k : i32
  scf.if %low {
    scf.if %lower {
      memref.store %sum, %y[%i] : memref<?xi32>
    } else {
      memref.store %k, %y[%i] : memref<?xi32>
    }
  }
  cube.return
}
