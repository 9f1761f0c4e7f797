// RUN: cube-opt %s --unroll --split-input-file | FileCheck %s

// Full unrolling of a loop with loop-carried values.
// CHECK-LABEL: @whole
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = arith.addi %n, %c0{{.*}}
// CHECK: %[[B:.*]] = arith.addi %[[A]], %c2{{.*}}
// CHECK: %[[C:.*]] = arith.addi %[[B]], %c4{{.*}}
// CHECK: cube.store %[[C]]
cube.kernel @whole(%x: !cube.array<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
  %s = scf.for %i = %zero to %five step %two iter_args(%sum = %n) -> (i32) : i32 {
    %t = arith.addi %sum, %i : i32
    scf.yield %t : i32
  } {cube.unroll}
  cube.store %s, %x[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// Unrolling by a factor: first the complete groups, then the remaining iterations.
// CHECK-LABEL: @factor
// CHECK: %[[REST:.*]] = arith.remui
// CHECK: %[[FULL:.*]] = arith.subi %{{.*}}, %[[REST]]
// CHECK: %[[MIDDLE:.*]] = arith.addi %a, %[[FULL]]
// CHECK: %[[S:.*]] = scf.for unsigned %[[I:.*]] = %a to %[[MIDDLE]] step %{{.*}} iter_args(%[[P:.*]] = %a)
// CHECK: %[[Q:.*]] = arith.addi %[[P]], %[[I]]
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[R:.*]] = arith.addi %[[Q]], %[[J]]
// CHECK: scf.yield %[[R]]
// CHECK: scf.for unsigned %{{.*}} = %[[MIDDLE]] to %b step %{{.*}} iter_args(%{{.*}} = %[[S]])
// CHECK-NOT: cube.unroll
cube.kernel @factor(%x: !cube.array<i32>, %a: i32, %b: i32) {
  %one = arith.constant 1 : i32
  %s = scf.for unsigned %i = %a to %b step %one iter_args(%sum = %a) -> (i32) : i32 {
    %t = arith.addi %sum, %i : i32
    scf.yield %t : i32
  } {cube.unroll = 2 : i32}
  cube.store %s, %x[%a] : i32, !cube.array<i32>
  cube.return
}
