// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(order-signed-zeros))' | FileCheck %s

// CHECK-LABEL: @unknown
cube.kernel @unknown(%a: f32, %b: f32, %y: memref<?xf32>, %z: memref<?xvector<4xf16>>) cube_dim(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = arith.bitcast %a : f32 to i32
  // CHECK: %[[B:.*]] = arith.bitcast %b : f32 to i32
  // CHECK: %[[BOTH:.*]] = arith.ori %[[A]], %[[B]] : i32
  // CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %a, %b : f32
  // CHECK: %[[ZERO:.*]] = arith.bitcast %[[BOTH]] : i32 to f32
  // CHECK: %[[ORDERED:.*]] = arith.select %[[EQUAL]], %[[ZERO]], %a : f32
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %b, %[[ORDERED]] : f32
  // CHECK: %[[NUMBER:.*]] = arith.select %[[LESS]], %b, %[[ORDERED]] : f32
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %a, %a : f32
  // CHECK: arith.select %[[NAN]], %b, %[[NUMBER]] : f32
  %least = arith.minnumf %a, %b : f32
  memref.store %least, %y[%c0] : memref<?xf32>
  // CHECK: arith.andi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.cmpf ogt
  %most = arith.maxnumf %a, %b : f32
  memref.store %most, %y[%c1] : memref<?xf32>
  // CHECK: arith.ori %{{.*}}, %{{.*}} : vector<4xi16>
  // CHECK-NOT: minnumf
  %v = memref.load %z[%c0] : memref<?xvector<4xf16>>
  %line = arith.minnumf %v, %v : vector<4xf16>
  memref.store %line, %z[%c0] : memref<?xvector<4xf16>>
  cube.return
}

// A constant operand needs one comparison, which orders the zeros; a comparison of NaN with a constant is false.
// CHECK-LABEL: @constants
cube.kernel @constants(%a: f32, %y: memref<?xf32>) cube_dim(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %below = arith.constant -0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[BELOW:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: arith.cmpf ogt, %a, %[[ZERO]]
  // CHECK-NEXT: arith.select
  // CHECK-NEXT: memref.store
  %0 = arith.maxnumf %zero, %a : f32
  memref.store %0, %y[%c0] : memref<?xf32>
  // CHECK-NEXT: arith.cmpf oge, %a, %[[BELOW]]
  %1 = arith.maxnumf %a, %below : f32
  memref.store %1, %y[%c0] : memref<?xf32>
  // CHECK: arith.cmpf ole, %a, %[[ZERO]]
  %2 = arith.minnumf %a, %zero : f32
  memref.store %2, %y[%c0] : memref<?xf32>
  // CHECK: arith.cmpf olt, %a, %[[BELOW]]
  %3 = arith.minnumf %a, %below : f32
  memref.store %3, %y[%c0] : memref<?xf32>
  // CHECK: memref.store %a
  %4 = arith.minnumf %a, %nan : f32
  memref.store %4, %y[%c0] : memref<?xf32>
  cube.return
}

// The reduction halves the vector; the remaining lane is combined with the start value.
// CHECK-LABEL: @reduction
cube.kernel @reduction(%a: f32, %b: f32, %start: f32, %y: memref<?xf32>) cube_dim(1) {
  %c0 = arith.constant 0 : index
  %v = vector.from_elements %a, %b, %a, %b, %a : vector<5xf32>
  // CHECK: %[[V:.*]] = vector.from_elements
  // CHECK: vector.extract %[[V]][4] : f32 from vector<5xf32>
  // CHECK: vector.shuffle %[[V]], %[[V]] [0, 1]
  // CHECK: vector.shuffle %[[V]], %[[V]] [2, 3]
  // CHECK-NOT: vector.reduction
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK-NOT: vector.reduction
  %r = vector.reduction <minnumf>, %v, %start : vector<5xf32> into f32
  memref.store %r, %y[%c0] : memref<?xf32>
  %s = vector.reduction <maximumf>, %v : vector<5xf32> into f32
  memref.store %s, %y[%c0] : memref<?xf32>
  cube.return
}
