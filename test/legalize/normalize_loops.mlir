// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(normalize-loops))' | FileCheck %s

// CHECK-LABEL: @steps
cube.kernel @steps(%y: !cube.array<i32>, %from: i32, %to: i32, %step: i32) cube_dim(64) {
  %one = arith.constant 1 : i32
  // CHECK: %[[ZEROSTEP:.*]] = arith.cmpi eq, %step, %{{.*}} : i32
  // CHECK: %[[STEP:.*]] = arith.select %[[ZEROSTEP]], %{{.*}}, %step : i32
  // CHECK: %[[DISTANCE:.*]] = arith.subi %to, %from : i32
  // CHECK: %[[SHORT:.*]] = arith.subi %[[DISTANCE]]
  // CHECK: %[[LAST:.*]] = arith.divui %[[SHORT]], %[[STEP]] : i32
  // CHECK: %[[ANY:.*]] = arith.cmpi ult, %from, %to : i32
  // CHECK: %[[MORE:.*]] = arith.addi %[[LAST]]
  // CHECK: %[[TURNS:.*]] = arith.select %[[ANY]], %[[MORE]]
  // CHECK: scf.for unsigned %[[T:.*]] = %{{.*}} to %[[TURNS]] step
  // CHECK:   %[[OFFSET:.*]] = arith.muli %[[T]], %[[STEP]] : i32
  // CHECK:   %[[I:.*]] = arith.addi %from, %[[OFFSET]] : i32
  // CHECK:   cube.store %[[I]], %y[%[[I]]]
  scf.for unsigned %i = %from to %to step %step : i32 {
    cube.store %i, %y[%i] checked : i32, !cube.array<i32>
  }
  // A signed loop compares its counter as a signed integer.
  // CHECK: arith.cmpi slt, %from, %to : i32
  scf.for %i = %from to %to step %step : i32 {
    cube.store %i, %y[%i] checked : i32, !cube.array<i32>
  }
  // CHECK: scf.for unsigned %{{.*}} = %from to %to step %{{.*}} : i32
  scf.for unsigned %i = %from to %to step %one : i32 {
    cube.store %i, %y[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}
