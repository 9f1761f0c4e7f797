// RUN: cube-opt %s --define-poison --split-input-file | FileCheck %s

// CHECK-LABEL: @zeros(
// CHECK-NOT: ub.poison
cube.kernel @zeros(%x: !cube.array<i32>, %y: !cube.array<f32, 4>, %i: i32) cube_dim(1) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  %p = ub.poison : i32
  // CHECK: cube.store %[[ZERO]], %{{.*}} : i32
  cube.store %p, %x[%i] : i32, !cube.array<i32>
  // CHECK: %[[LINE:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
  %v = ub.poison : vector<4xf32>
  // CHECK: cube.store %[[LINE]]
  cube.store %v, %y[%i] : vector<4xf32>, !cube.array<f32, 4>
  // CHECK: arith.constant 0 : index
  %n = ub.poison : index
  // CHECK: arith.constant dense<0> : vector<2xindex>
  %m = ub.poison : vector<2xindex>
  cube.return
}

// -----

// CHECK-LABEL: @lanes(
cube.kernel @lanes(%y: !cube.array<i32, 4>, %x: !cube.array<i32>, %i: i32) cube_dim(1) {
  // CHECK: %[[LINE:.*]] = cube.load
  %v = cube.load %y[%i] : !cube.array<i32, 4> -> vector<4xi32>
  // CHECK: vector.shuffle %[[LINE]], %[[LINE]] [3, 0, 5, 0]
  %s = vector.shuffle %v, %v [3, -1, 5, -1] : vector<4xi32>, vector<4xi32>
  cube.store %s, %y[%i] : vector<4xi32>, !cube.array<i32, 4>
  // CHECK: vector.shuffle %[[LINE]], %[[LINE]] [3, 2]
  %t = vector.shuffle %v, %v [3, 2] : vector<4xi32>, vector<4xi32>
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: cube.store %[[ZERO]]
  %e = vector.extract %v[-1] : i32 from vector<4xi32>
  cube.store %e, %x[%i] : i32, !cube.array<i32>
  // CHECK: cube.store %[[LINE]]
  %r = vector.insert %i, %v[-1] : i32 into vector<4xi32>
  cube.store %r, %y[%i] : vector<4xi32>, !cube.array<i32, 4>
  cube.return
}
