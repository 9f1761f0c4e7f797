// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(promote-half-arithmetic))' | FileCheck %s

// CHECK-LABEL: @halves
cube.kernel @halves(%x: memref<?xbf16>, %n: memref<?xi64>) cube_dim(64) {
  %i = arith.constant 0 : index
  %v = memref.load %x[%i] : memref<?xbf16>
  %w = memref.load %n[%i] : memref<?xi64>
  // A sum is an f32 addition and an explicit rounding to bf16: add half of a ULP, less one on ties to even.
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
  // CHECK: arith.shrui %[[BITS]]
  // CHECK: arith.addi %{{.*}}, %c32767_i32
  // CHECK: arith.cmpf uno, %[[SUM]], %[[SUM]] : f32
  // CHECK: arith.trunci %{{.*}} : i32 to i16
  %a = arith.addf %v, %v : bf16
  // A fused multiply-add is computed in f64: the product is exact, and the sum is rounded to odd.
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f64
  %b = math.fma %a, %v, %a : bf16
  // Negation flips the sign bit.
  // CHECK: arith.xori %{{.*}}, %c-32768_i16
  %c = arith.negf %b : bf16
  // A conversion from a 64-bit integer keeps a sticky bit.
  // CHECK: arith.andi %{{.*}}, %c4095_i64
  // CHECK: arith.sitofp %{{.*}} : i64 to f64
  %d = arith.sitofp %w : i64 to bf16
  // CHECK-NOT: arith.{{[a-z]+}}f {{.*}} : bf16
  // CHECK: memref.store
  %e = arith.mulf %c, %d : bf16
  memref.store %e, %x[%i] : memref<?xbf16>
  cube.return
}

// A reduction begins with the start value and combines one lane after another; each step is rounded to bf16.
// CHECK-LABEL: @reduced
cube.kernel @reduced(%x: memref<?xbf16>) cube_dim(64) {
  %i = arith.constant 0 : index
  %v = memref.load %x[%i] : memref<?xbf16>
  %w = arith.constant dense<[1.0, 2.0]> : vector<2xbf16>
  // CHECK-NOT: vector.reduction
  // CHECK: vector.extract %{{.*}}[0]
  // CHECK: vector.extract %{{.*}}[1]
  // CHECK: %[[FIRST:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.bitcast %[[FIRST]] : f32 to i32
  // CHECK: %[[ONCE:.*]] = arith.bitcast %{{.*}} : i32 to f32
  // CHECK: arith.addf %[[ONCE]], %{{.*}} : f32
  %s = vector.reduction <add>, %w, %v : vector<2xbf16> into bf16
  memref.store %s, %x[%i] : memref<?xbf16>
  cube.return
}

// `vector.fma` is expanded like `math.fma`.
// CHECK-LABEL: @fused
// CHECK-NOT: vector.fma
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<4xf64>
// CHECK-NOT: vector.fma
cube.kernel @fused(%x: memref<?xvector<4xf16>>) cube_dim(64) {
  %i = arith.constant 0 : index
  %v = memref.load %x[%i] : memref<?xvector<4xf16>>
  %s = vector.fma %v, %v, %v : vector<4xf16>
  memref.store %s, %x[%i] : memref<?xvector<4xf16>>
  cube.return
}
