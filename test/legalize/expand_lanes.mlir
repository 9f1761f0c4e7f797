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

// The index is below the number of lanes in all iterations, so it needs no comparison. For one iteration more, it does.
// CHECK-LABEL: @counted
// CHECK: scf.for unsigned %[[N:.*]] = %c0
// CHECK: %[[AT:.*]] = arith.index_castui %[[N]]
// CHECK: vector.extract %{{.*}}[%[[AT]]]
// CHECK-NOT: arith.select
// CHECK: vector.insert
// CHECK-NOT: arith.select
// CHECK: scf.for unsigned
// CHECK-COUNT-2: arith.select
cube.kernel @counted(%x: !cube.array<f32, 4>, %i: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %w = scf.for unsigned %n = %zero to %four step %one iter_args(%all = %v) -> (vector<4xf32>) : i32 {
    %l = cube.extract %v[%n] : vector<4xf32> -> f32
    %next = cube.insert %l, %all[%n] : f32, vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  %z = scf.for unsigned %n = %zero to %five step %one iter_args(%all = %w) -> (vector<4xf32>) : i32 {
    %l = cube.extract %v[%n] : vector<4xf32> -> f32
    %next = cube.insert %l, %all[%n] : f32, vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  cube.store %z, %x[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// A number without a loop keeps its comparison, although it is below the number of lanes.
// CHECK-LABEL: @masked
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK: arith.select
cube.kernel @masked(%x: !cube.array<f32, 4>, %i: i32) {
  %three = arith.constant 3 : i32
  %n = arith.andi %i, %three : i32
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.extract %v[%n] : vector<4xf32> -> f32
  %w = cube.insert %l, %v[%n] : f32, vector<4xf32>
  cube.store %w, %x[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
