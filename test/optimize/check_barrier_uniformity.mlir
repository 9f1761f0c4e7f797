// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(check-barrier-uniformity))' | FileCheck %s
// RUN: cube-opt %s --check-barrier-uniformity | FileCheck %s --check-prefix=ANY
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(check-barrier-uniformity))' | FileCheck %s --check-prefix=ANY

// Each unit compares its condition with the first unit's; if they differ, the cube ends with a report.
// CHECK-LABEL: cube.kernel @branch
// CHECK: %[[OTHERS:.*]] = cube.alloc : !cube.shared<1 x i32>
// CHECK: %[[FIRST:.*]] = cube.alloc : !cube.shared<1 x i32>
// CHECK: %[[C:.*]] = arith.cmpi ult
// CHECK: %[[HELD:.*]] = arith.extui %[[C]] : i1 to i32
// CHECK: scf.if
// CHECK:   cube.store %[[HELD]], %[[FIRST]]
// CHECK: cube.sync cube
// CHECK: %[[SAID:.*]] = cube.load %[[FIRST]]
// CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[HELD]], %[[SAID]]
// CHECK: cube.plane_reduce addi
// WGSL core has no plane operations, so the code for an unspecified chip has none.
// ANY-LABEL: cube.kernel @branch
// ANY-NOT: cube.plane
// ANY: cube.atomic_rmw addi
// ANY-NOT: cube.plane
// ANY: cube.return
// CHECK: cube.plane_elect
// CHECK:   cube.atomic_rmw addi %{{.*}}, %[[OTHERS]]
// CHECK: cube.sync cube
// CHECK: cube.load %[[OTHERS]]
// CHECK: cube.sync cube
// CHECK: %[[ENDED:.*]] = scf.if
// CHECK:   cube.print "not all units of cube {:u} reach the barrier at {{.*}}check_barrier_uniformity.mlir:[[# @LINE + 16]]:5: {:u} of {:u} units decide otherwise than the first unit; guard the accesses
// CHECK-SAME: fails
// CHECK: %[[GOES:.*]] = arith.xori %[[ENDED]]
// CHECK: scf.if %[[GOES]]
// CHECK:   %[[NO:.*]] = arith.cmpi eq, %[[SAID]]
// CHECK:   %[[TAKES:.*]] = arith.xori %[[NO]]
// CHECK:   scf.if %[[TAKES]] {
// CHECK-NEXT: cube.load %x
// CHECK-NEXT: cube.sync cube
cube.kernel @branch(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.buffer_len %x : !cube.array<i32>
  %c = arith.cmpi ult, %i, %n : i32
  scf.if %c {
    %v = cube.load %x[%i] : !cube.array<i32> -> i32
    // One comparison covers all barriers of a branch; the report names the first barrier.
    cube.sync cube
    cube.sync cube
    cube.store %v, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// The check compares trip counts, not the start values of the loops.
// CHECK-LABEL: cube.kernel @trip_counts
// CHECK: scf.for unsigned %[[TURN:.*]] = %{{.*}} to %[[COUNT:.*]] step %{{.*}} : i32 {
// CHECK-NEXT: %[[DISTANCE:.*]] = arith.muli %[[TURN]], %{{.*}} : i32
// CHECK-NEXT: %[[COUNTER:.*]] = arith.addi %[[U:.*]], %[[DISTANCE]] : i32
// CHECK-NEXT: cube.sync cube
// CHECK-NEXT: cube.store %[[COUNTER]], %x[%[[COUNTER]]]
cube.kernel @trip_counts(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %u = cube.topology unit_pos
  %d = cube.topology cube_dim
  scf.for %i = %u to %n step %d : i32 {
    cube.sync cube
    cube.store %i, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// No check: a condition that varies in every launch, and a plane barrier.
// CHECK-LABEL: cube.kernel @not_checked
// CHECK-NOT: cube.print
cube.kernel @not_checked(%n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %u = cube.topology unit_pos
  %odd = cube.remui %u, %two : i32
  %c = arith.cmpi eq, %odd, %zero : i32
  scf.if %c { cube.sync cube }
  %d = arith.cmpi ult, %u, %n : i32
  %all = scf.if %c -> (i1) { scf.yield %c : i1 } else { %never = arith.constant false scf.yield %never : i1 }
  scf.if %all { cube.sync storage }
  scf.for %i = %zero to %u step %one : i32 { cube.sync cube }
  scf.if %d { cube.sync plane }
  cube.return
}

// A uniform condition needs no comparison.
// CHECK-LABEL: cube.kernel @same
// CHECK-NOT: cube.print
cube.kernel @same(%p: i1) cube_dim(64) {
  scf.if %p { cube.sync cube }
  cube.return
}

// No check: a value that is equal for all unit positions, although no range proves it.
// CHECK-LABEL: cube.kernel @computed
// CHECK-NOT: cube.print
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK-NEXT: scf.if %[[YES]] {
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[FOUR]] step
cube.kernel @computed() cube_dim(64) {
  %five = arith.constant 5 : i32
  %two = arith.constant 2 : i32
  %d = arith.constant 64 : i32
  %n = arith.constant 256 : i32
  %u = cube.topology unit_pos
  %x = cube.remui %u, %five : i32
  %y = arith.minui %x, %u : i32
  %c = arith.cmpi eq, %x, %y : i32
  scf.if %c { cube.sync cube }
  scf.for %i = %u to %n step %d : i32 { cube.sync cube }
  cube.return
}
