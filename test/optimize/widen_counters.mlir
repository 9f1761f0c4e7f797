// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(widen-counters))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(widen-counters,fold-ranges))' | FileCheck %s --check-prefix=RANGES

// CHECK-LABEL: @unsigned
// RANGES-LABEL: @unsigned
cube.kernel @unsigned(%y: !cube.array<i32>, %a: i8, %b: i8, %s: i8) cube_dim(1) {
  %zero = arith.constant 0 : i8
  // CHECK: %[[A:.*]] = arith.extui %a : i8 to i64
  // CHECK: %[[B:.*]] = arith.extui %b : i8 to i64
  // CHECK: %[[S:.*]] = arith.extui %s : i8 to i64
  // CHECK: scf.for unsigned %[[W:.*]] = %[[A]] to %[[B]] step %[[S]] : i64 {
  // CHECK:   %[[I:.*]] = arith.trunci %[[W]] overflow<nuw> : i64 to i8
  // CHECK:   arith.cmpi slt, %[[I]], %{{.*}} : i8
  // CHECK: } {cube.narrow = i8}
  // Upstream alone would fold this comparison to false, because its ranges do not cover counters of 128 or more.
  // RANGES: arith.cmpi slt
  scf.for unsigned %i = %a to %b step %s : i8 {
    %negative = arith.cmpi slt, %i, %zero : i8
    %v = arith.extui %negative : i1 to i32
    cube.store %v, %y[%v] : i32, !cube.array<i32>
  }
  // RANGES-NOT: arith.cmpi
  // RANGES: cube.return
  %most = arith.constant 200 : i8
  %one = arith.constant 1 : i8
  scf.for unsigned %i = %zero to %most step %one : i8 {
    %below = arith.cmpi ult, %i, %most : i8
    %v = arith.extui %below : i1 to i32
    cube.store %v, %y[%v] : i32, !cube.array<i32>
  }
  cube.return
}

// Signed bounds are not widened, and 64-bit bounds cannot be extended.
// CHECK-LABEL: @stays
cube.kernel @stays(%y: !cube.array<i64>, %a: i32, %b: i32, %n: i64, %at: i32) cube_dim(1) {
  %one = arith.constant 1 : i32
  %zero64 = arith.constant 0 : i64
  %one64 = arith.constant 1 : i64
  // CHECK: scf.for %{{.*}} = %a to %b step %{{.*}} : i32
  scf.for %i = %a to %b step %one : i32 {
    cube.store %one64, %y[%i] : i64, !cube.array<i64>
  }
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %n step %{{.*}} : i64
  scf.for unsigned %i = %zero64 to %n step %one64 : i64 {
    cube.store %i, %y[%at] : i64, !cube.array<i64>
  }
  // CHECK: %[[LAST:.*]] = arith.divui
  // CHECK: %[[MORE:.*]] = arith.addi %[[LAST]]
  // CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %[[MORE]]
  // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[COUNT]] step %{{.*}} : i64
  scf.for unsigned %i = %n to %zero64 step %one64 : i64 {
    cube.store %i, %y[%at] : i64, !cube.array<i64>
  }
  cube.return
}
