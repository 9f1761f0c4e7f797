// RUN: cube-opt %s --pass-pipeline='builtin.module(normalize-wide-loops)' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(normalize-wide-loops,canonicalize,cube.kernel(canonicalize))' | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @stays
cube.kernel @stays(%y: !cube.array<i32>, %a: i32, %b: i32, %w: i64) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %below = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 2147483647 : i32
  %least = arith.constant -2147483648 : i32
  // CHECK: scf.for unsigned %{{.*}} = %a to %b step %{{.*}} : i32
  scf.for unsigned %i = %a to %b step %most : i32 {
    cube.store %i, %y[%i] : i32, !cube.array<i32>
  }
  // CHECK: scf.for %{{.*}} = %{{.*}} to %b step
  scf.for %i = %zero to %b step %one : i32 {
    cube.store %i, %y[%i] : i32, !cube.array<i32>
  }
  // CHECK: scf.for %{{.*}} = %a to %{{.*}} step
  scf.for %i = %a to %below step %one : i32 {
    cube.store %i, %y[%i] : i32, !cube.array<i32>
  }
  // The distance of the bounds is 2147483647, the largest i32.
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
  // CHECK-NOT: unsigned
  scf.for %i = %least to %below step %one : i32 {
    cube.store %i, %y[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// CHECK-LABEL: @counted
// FOLDED-LABEL: @counted
cube.kernel @counted(%y: !cube.array<i32>, %a: i32, %b: i32, %s: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %big = arith.constant -2147483648 : i32
  // Signed bounds whose distance is unknown.
  // CHECK: %[[DISTANCE:.*]] = arith.subi %b, %a : i32
  // CHECK: %[[SHORT:.*]] = arith.subi %[[DISTANCE]]
  // CHECK: %[[LAST:.*]] = cube.divui %[[SHORT]]
  // CHECK: %[[ANY:.*]] = arith.cmpi slt, %a, %b : i32
  // CHECK: %[[MORE:.*]] = arith.addi %[[LAST]]
  // CHECK: %[[COUNT:.*]] = arith.select %[[ANY]], %[[MORE]]
  // CHECK: scf.for unsigned %[[T:.*]] = %{{.*}} to %[[COUNT]] step
  // CHECK:   %[[OFFSET:.*]] = arith.muli %[[T]]
  // CHECK:   %[[I:.*]] = arith.addi %a, %[[OFFSET]] : i32
  // CHECK:   cube.store %[[I]], %y[%[[I]]]
  scf.for %i = %a to %b step %one : i32 {
    cube.store %i, %y[%i] : i32, !cube.array<i32>
  }
  // An unsigned step that can be at least half of the range.
  // CHECK: arith.cmpi ult, %a, %b : i32
  // CHECK: scf.for unsigned
  scf.for unsigned %i = %a to %b step %s : i32 {
    cube.store %i, %y[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// Upstream folds loops with one iteration and constant bounds. Without the pass, upstream removed these loops.
// FOLDED-LABEL: @folded
// FOLDED-NOT:   scf.for
// FOLDED:       cube.store %c7_i32
// FOLDED:       cube.store %c-2147483648_i32
// The loop has two iterations, at -2147483648 and at -1.
// FOLDED-NEXT:  scf.for unsigned %{{.*}} = %c0_i32 to %c2_i32 step %c1_i32
cube.kernel @folded(%y: !cube.array<i32>) cube_dim(1) {
  %seven = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  %most = arith.constant -1 : i32
  %big = arith.constant -2147483648 : i32
  %near = arith.constant 2147483647 : i32
  scf.for unsigned %i = %seven to %most step %most : i32 {
    cube.store %i, %y[%zero] : i32, !cube.array<i32>
  }
  scf.for %i = %big to %most step %near : i32 {
    cube.store %i, %y[%zero] : i32, !cube.array<i32>
  }
  scf.for %i = %big to %zero step %near : i32 {
    cube.store %i, %y[%zero] : i32, !cube.array<i32>
  }
  cube.return
}
