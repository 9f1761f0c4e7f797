// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-private-memory,split-barrier-regions,vectorize-spmd,canonicalize,cse))' | FileCheck %s

// A private array stores element k of all lanes next to each other: the address is 32 k + lane. A store at a varying
// index is a scatter to distinct addresses; a load at a uniform index is one vector of 32 lanes.
// CHECK-LABEL: cube.kernel @varying_index
// CHECK-DAG: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, {{.*}}, 30, 31]> : vector<32xindex>
// CHECK-DAG: %[[STRIDE:.*]] = arith.constant dense<32> : vector<32xindex>
// CHECK-DAG: %[[ARRAY:.*]] = memref.alloca() : memref<128xi32,
// CHECK: %[[K:.*]] = arith.index_castui %{{.*}} : vector<32xi32> to vector<32xindex>
// CHECK: %[[ROW:.*]] = arith.muli %[[K]], %[[STRIDE]]
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[LANES]]
// CHECK: vector.scatter %[[ARRAY]][%c0] [%[[AT]]]
// CHECK: %[[BACK:.*]] = vector.load %[[ARRAY]][%c0] : memref<128xi32, {{.*}}>, vector<32xi32>
// CHECK: vector.shuffle %[[BACK]], %[[BACK]] [0,
cube.kernel @varying_index(%x: memref<?xi32>, %n: i32) cube_dim(32) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %l = memref.alloca() : memref<4xi32>
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %w = memref.load %x[%i] : memref<?xi32>
  %k = arith.andi %w, %three : i32
  %at = arith.index_castui %k : i32 to index
  memref.store %n, %l[%at] : memref<4xi32>
  %v = memref.load %l[%c0] : memref<4xi32>
  %sum = cube.plane_reduce addi %v : i32
  memref.store %sum, %x[%i] : memref<?xi32>
  cube.return
}
