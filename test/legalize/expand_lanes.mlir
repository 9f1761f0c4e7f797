// RUN: cube-opt %s --expand-lanes | FileCheck %s

// CHECK-LABEL: @dynamic
// CHECK: %[[IN:.*]] = arith.cmpi ult, %i, %c4
// CHECK: %[[SAFE:.*]] = arith.select %[[IN]], %i, %c0
// CHECK: %[[AT:.*]] = arith.index_castui %[[SAFE]]
// CHECK: %[[L:.*]] = vector.extract %{{.*}}[%[[AT]]]
// CHECK: %[[R:.*]] = arith.select %[[IN]], %[[L]], %cst
// CHECK: %[[W:.*]] = vector.insert %[[R]], %[[V:.*]] [%{{.*}}]
// CHECK: arith.select %{{.*}}, %[[W]], %[[V]]
cube.kernel @dynamic(%x: !cube.array<f32, 4>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.extract %v[%i] : vector<4xf32> -> f32
  %w = cube.insert %l, %v[%i] : f32, vector<4xf32>
  cube.store %w, %x[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// CHECK-LABEL: @constant
// CHECK: %[[L:.*]] = vector.extract %{{.*}}[2]
// CHECK: vector.insert %[[L]], %{{.*}} [1]
// CHECK-NOT: arith.select
// CHECK: cube.return
cube.kernel @constant(%x: !cube.array<f32, 4>, %i: i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.extract %v[%two] : vector<4xf32> -> f32
  %w = cube.insert %l, %v[%one] : f32, vector<4xf32>
  cube.store %w, %x[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
