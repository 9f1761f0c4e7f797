// RUN: cube-opt %s --structured-mem2reg | FileCheck %s

// CHECK-LABEL: @branch
// CHECK-NOT: cube.alloc
// CHECK: %[[V:.*]] = scf.if %p -> (i32) {
// CHECK-NEXT: scf.yield %n : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %m : i32
// CHECK: cube.store %[[V]], %x[%n]
cube.kernel @branch(%x: !cube.array<i32>, %n: i32, %m: i32, %p: i1) {
  %zero = arith.constant 0 : i32
  %v = cube.alloc : !cube.local<1 x i32>
  cube.store %m, %v[%zero] : i32, !cube.local<1 x i32>
  scf.if %p {
    cube.store %n, %v[%zero] : i32, !cube.local<1 x i32>
  }
  %r = cube.load %v[%zero] : !cube.local<1 x i32> -> i32
  cube.store %r, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// A counted loop carries the variable, also through a branch inside; a load before the first store gives 0.
// CHECK-LABEL: @loop
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[S:.*]] = scf.for %[[I:.*]] = %n to %m step %n iter_args(%[[V:.*]] = %[[Z:.*]]) -> (i32)
// CHECK: %[[W:.*]] = scf.if %p -> (i32) {
// CHECK: %[[T:.*]] = arith.addi %[[V]], %[[I]]
// CHECK: scf.yield %[[T]]
// CHECK: scf.yield %[[V]]
// CHECK: scf.yield %[[W]]
// CHECK: cube.store %[[S]], %x
cube.kernel @loop(%x: !cube.array<i32>, %n: i32, %m: i32, %p: i1) {
  %zero = arith.constant 0 : i32
  %v = cube.alloc : !cube.local<1 x i32>
  scf.for %i = %n to %m step %n : i32 {
    scf.if %p {
      %a = cube.load %v[%zero] : !cube.local<1 x i32> -> i32
      %b = arith.addi %a, %i : i32
      cube.store %b, %v[%zero] : i32, !cube.local<1 x i32>
    }
  }
  %r = cube.load %v[%zero] : !cube.local<1 x i32> -> i32
  cube.store %r, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// CHECK-LABEL: @whiles
// CHECK: %[[S:.*]]:2 = scf.while (%[[K:.*]] = %n, %[[V:.*]] = %m) : (i32, i32) -> (i32, i32) {
// CHECK: scf.condition(%{{.*}}) %[[K]], %[[V]] : i32, i32
// CHECK: ^bb0(%[[K2:.*]]: i32, %[[V2:.*]]: i32):
// CHECK: %[[N:.*]] = arith.addi %[[V2]], %[[K2]]
// CHECK: scf.yield %[[K2]], %[[N]]
// CHECK: cube.store %[[S]]#1
cube.kernel @whiles(%x: !cube.array<i32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %v = cube.alloc : !cube.local<1 x i32>
  cube.store %m, %v[%zero] : i32, !cube.local<1 x i32>
  %k = scf.while (%k = %n) : (i32) -> i32 {
    %a = cube.load %v[%zero] : !cube.local<1 x i32> -> i32
    %c = arith.cmpi slt, %a, %k : i32
    scf.condition(%c) %k : i32
  } do {
  ^bb0(%k: i32):
    %a = cube.load %v[%zero] : !cube.local<1 x i32> -> i32
    %b = arith.addi %a, %k : i32
    cube.store %b, %v[%zero] : i32, !cube.local<1 x i32>
    scf.yield %k : i32
  }
  %r = cube.load %v[%zero] : !cube.local<1 x i32> -> i32
  cube.store %r, %x[%zero] : i32, !cube.array<i32>
  cube.return
}

// A variable that is allocated in a loop is new in each iteration. Arrays and cells with dynamic indices are kept.
// CHECK-LABEL: @kept
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: cube.alloc : !cube.local<4 x i32>
// CHECK: cube.alloc : !cube.local<1 x i32>
// CHECK-NOT: cube.alloc
// CHECK: cube.return
cube.kernel @kept(%x: !cube.array<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  scf.for %i = %n to %n step %n : i32 {
    %t = cube.alloc : !cube.local<1 x i32>
    cube.store %i, %t[%zero] : i32, !cube.local<1 x i32>
    %u = cube.load %t[%zero] : !cube.local<1 x i32> -> i32
    cube.store %u, %x[%i] : i32, !cube.array<i32>
  }
  %a = cube.alloc : !cube.local<4 x i32>
  cube.store %n, %a[%zero] : i32, !cube.local<4 x i32>
  %c = cube.alloc : !cube.local<1 x i32>
  cube.store %n, %c[%n] : i32, !cube.local<1 x i32>
  cube.return
}
