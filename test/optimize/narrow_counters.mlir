// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(widen-counters,narrow-counters))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(widen-counters,fold-ranges,narrow-counters))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(widen-counters,fold-ranges,narrow-counters))' | FileCheck %s --check-prefix=GONE

// GONE-NOT: cube.narrow
// GONE-NOT: arith.trunci
// CHECK-LABEL: @back
cube.kernel @back(%y: !cube.array<i32>, %a: i32, %b: i32) cube_dim(1) {
  %one = arith.constant 1 : i32
  // CHECK: scf.for unsigned %[[I:.*]] = %a to %b step %{{.*}} : i32 {
  // CHECK: scf.for unsigned %[[J:.*]] = %[[I]] to %b step %{{.*}} : i32 {
  // CHECK-NEXT: cube.store %[[J]], %y[%[[I]]]
  scf.for unsigned %i = %a to %b step %one : i32 {
    scf.for unsigned %j = %i to %b step %one : i32 {
      cube.store %j, %y[%i] : i32, !cube.array<i32>
    }
  }
  cube.return
}

// Constants are extended with their original bits.
// CHECK-LABEL: @constants
cube.kernel @constants(%y: !cube.array<i8>, %at: i32) cube_dim(1) {
  %zero = arith.constant 0 : i8
  %most = arith.constant -1 : i8
  %step = arith.constant 3 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[MOST:.*]] = arith.constant -1 : i8
  // CHECK-DAG: %[[STEP:.*]] = arith.constant 3 : i8
  // CHECK: scf.for unsigned %{{.*}} = %[[ZERO]] to %[[MOST]] step %[[STEP]] : i8
  scf.for unsigned %i = %zero to %most step %step : i8 {
    cube.store %i, %y[%at] : i8, !cube.array<i8>
  }
  cube.return
}

// The attribute alone proves nothing: a loop whose bounds can exceed the type keeps its counter.
// CHECK-LABEL: @claimed
cube.kernel @claimed(%y: !cube.array<i32>, %n: i64) cube_dim(1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 300 : i64
  %at = arith.constant 0 : i32
  %value = arith.constant 1 : i32
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
  scf.for unsigned %i = %zero to %many step %one : i64 {
    cube.store %value, %y[%at] : i32, !cube.array<i32>
  } {cube.narrow = i8}
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %n step %{{.*}} : i64 {
  scf.for unsigned %i = %zero to %n step %one : i64 {
    cube.store %value, %y[%at] : i32, !cube.array<i32>
  } {cube.narrow = i32}
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
  scf.for %i = %zero to %one step %one : i64 {
    cube.store %value, %y[%at] : i32, !cube.array<i32>
  } {cube.narrow = i32}
  cube.return
}
