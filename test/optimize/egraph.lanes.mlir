// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(egraph))' --cube-remarks=passed -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said

// Operations on vectors of equal elements become operations on one element. The constant becomes a scalar, too.
// CHECK-LABEL: cube.kernel @splats(
// CHECK:         %[[C:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-NOT:     vector.broadcast
// CHECK:         %[[S:.*]] = arith.addf %a, %b : f32
// CHECK:         %[[P:.*]] = arith.mulf %[[S]], %[[C]] : f32
// CHECK:         %[[V:.*]] = vector.broadcast %[[P]] : f32 to vector<4xf32>
// CHECK:         cube.store %[[V]]
// SAID: by {{.*}}lanes/
cube.kernel @splats(%x: !cube.array<f32, 4>, %a: f32, %b: f32, %i: i32) cube_dim(64) {
  %three = arith.constant dense<3.0> : vector<4xf32>
  %va = vector.broadcast %a : f32 to vector<4xf32>
  %vb = vector.broadcast %b : f32 to vector<4xf32>
  %s = arith.addf %va, %vb : vector<4xf32>
  %p = arith.mulf %s, %three : vector<4xf32>
  cube.store %p, %x[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// A broadcast of a vector is not a vector of equal elements.
// CHECK-LABEL: cube.kernel @rows(
// CHECK:         vector.broadcast %{{.*}} : vector<2xf32> to vector<4x2xf32>
cube.kernel @rows(%x: !cube.array<f32>, %a: f32, %b: f32, %i: i32) cube_dim(64) {
  %row = vector.from_elements %a, %b : vector<2xf32>
  %v = vector.broadcast %row : vector<2xf32> to vector<4x2xf32>
  %e = vector.extract %v[3, 1] : f32 from vector<4x2xf32>
  cube.store %e, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// 1 - erfc(x) is erf(x), and so is -erf(-x). Without `afn`, both stay.
// CHECK-LABEL: cube.kernel @erf(
// CHECK-NOT:     math.erfc
// CHECK-NOT:     arith.negf
// CHECK:         %[[D:.*]] = math.erf %a fastmath
// CHECK-NOT:     math.erf
// CHECK:         cube.store %[[D]]
// CHECK:         cube.store %[[D]]
cube.kernel @erf(%x: !cube.array<f32>, %a: f32, %i: i32, %j: i32) cube_dim(64) {
  %one = arith.constant 1.0 : f32
  %e = math.erfc %a fastmath<nsz,afn> : f32
  %d = arith.subf %one, %e fastmath<nsz,afn> : f32
  %n = arith.negf %a fastmath<nsz,afn> : f32
  %g = math.erf %n fastmath<nsz,afn> : f32
  %h = arith.negf %g fastmath<nsz,afn> : f32
  cube.store %d, %x[%i] : f32, !cube.array<f32>
  cube.store %h, %x[%j] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @erf_without_flags(
// CHECK:         math.erfc %a : f32
// CHECK:         arith.subf
cube.kernel @erf_without_flags(%x: !cube.array<f32>, %a: f32, %i: i32) cube_dim(64) {
  %one = arith.constant 1.0 : f32
  %e = math.erfc %a : f32
  %d = arith.subf %one, %e : f32
  cube.store %d, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// A signed quotient and remainder by a power of two need no product.
// CHECK-LABEL: cube.kernel @powers(
// CHECK-NOT:     cube.divsi
// CHECK-NOT:     cube.remsi
// CHECK-NOT:     arith.muli
// CHECK:         cube.return
cube.kernel @powers(%x: !cube.array<i32>, %a: i32, %i: i32, %j: i32) cube_dim(64) {
  %eight = arith.constant 8 : i32
  %q = cube.divsi %a, %eight : i32
  %r = cube.remsi %a, %eight : i32
  cube.store %q, %x[%i] : i32, !cube.array<i32>
  cube.store %r, %x[%j] : i32, !cube.array<i32>
  cube.return
}

// A signed quotient and remainder by one constant share the division.
// CHECK-LABEL: cube.kernel @pair(
// CHECK:         %[[Q:.*]] = cube.divsi %a, %{{.*}} : i32
// CHECK-NOT:     cube.remsi
// CHECK:         arith.muli %[[Q]]
// CHECK:         arith.subi %a
cube.kernel @pair(%x: !cube.array<i32>, %a: i32, %i: i32, %j: i32) cube_dim(64) {
  %seven = arith.constant 7 : i32
  %q = cube.divsi %a, %seven : i32
  %r = cube.remsi %a, %seven : i32
  cube.store %q, %x[%i] : i32, !cube.array<i32>
  cube.store %r, %x[%j] : i32, !cube.array<i32>
  cube.return
}
