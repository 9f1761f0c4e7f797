// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(egraph))' | FileCheck %s

// An operation that computes the same value as before keeps its promise, although an operand has another form.
// CHECK-LABEL: cube.kernel @kept(
// CHECK:         %[[Q:.*]] = cube.shrui
// CHECK:         %[[P:.*]] = arith.muli %[[Q]], %{{.*}} overflow<nuw> : i32
// CHECK:         arith.addi %[[P]], %{{.*}} overflow<nuw> : i32
cube.kernel @kept(%x: !cube.array<f32>, %a: i32, %f: f32) cube_dim(64) {
  %c8 = arith.constant 8 : i32
  %c24 = arith.constant 24 : i32
  %c512 = arith.constant 512 : i32
  %q = cube.divui %a, %c8 : i32
  %p = arith.muli %q, %c24 overflow<nuw> : i32
  %i = arith.addi %p, %c512 overflow<nuw> : i32
  cube.store %f, %x[%p] : f32, !cube.array<f32>
  cube.store %f, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// The product uses the sum only in its new form. Poison of the sum would reach the product.
// CHECK-LABEL: cube.kernel @used_by_a_new_form(
// CHECK-NOT:     overflow
// CHECK:         %[[S:.*]] = arith.addi %b, %c : i32
// CHECK-NEXT:    arith.muli %{{.*}}%[[S]]
// CHECK-NOT:     overflow
// CHECK:         cube.return
cube.kernel @used_by_a_new_form(%x: !cube.array<f32>, %a: i32, %b: i32, %c: i32, %f: f32) cube_dim(64) {
  %s = arith.addi %b, %c overflow<nuw> : i32
  %p = arith.muli %a, %b : i32
  %q = arith.muli %a, %c : i32
  %t = arith.addi %p, %q : i32
  cube.store %f, %x[%s] : f32, !cube.array<f32>
  cube.store %f, %x[%t] : f32, !cube.array<f32>
  cube.return
}

// One of two equal operations has the promise. Both operations become one, without the promise.
// CHECK-LABEL: cube.kernel @one_of_two(
// CHECK-NOT:     overflow
// CHECK:         cube.return
cube.kernel @one_of_two(%x: !cube.array<f32>, %a: i32, %f: f32) cube_dim(64) {
  %c8 = arith.constant 8 : i32
  %c24 = arith.constant 24 : i32
  %q = cube.divui %a, %c8 : i32
  %p = arith.muli %q, %c24 overflow<nuw> : i32
  %o = arith.muli %q, %c24 : i32
  cube.store %f, %x[%p] : f32, !cube.array<f32>
  cube.store %f, %x[%o] : f32, !cube.array<f32>
  cube.return
}
