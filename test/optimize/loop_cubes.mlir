// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(loop-cubes))' | FileCheck %s

// The kernel runs the number of cubes that %n contains. All positions and counts of cubes come from the loop.
// CHECK-LABEL: cube.kernel @marks(%out: !cube.array<i32>, %n: !cube.array<i32> {cube.access = "read"}) cube_dim(4)
// CHECK-DAG: %[[CX:.*]] = cube.load %n[%{{.*}}] checked
// CHECK-DAG: %[[CY:.*]] = cube.load %n[%{{.*}}] checked
// CHECK-DAG: %[[CZ:.*]] = cube.load %n[%{{.*}}] checked
// CHECK: %[[OWN:.*]] = cube.topology cube_pos
// CHECK: %[[X0:.*]] = cube.remui %[[OWN]], %[[CX]]
// CHECK: %[[ALL:.*]] = cube.topology cube_count
// CHECK: %[[DX:.*]] = cube.remui %[[ALL]], %[[CX]]
// CHECK: scf.while (%{{.*}} = %[[X0]], %{{.*}}, %{{.*}}) : (i32, i32, i32) -> (i32, i32, i32) {
// CHECK:   scf.condition
// CHECK: ^bb0(%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32):
// CHECK-NOT: cube.topology cube
// CHECK:   %[[UNIT:.*]] = cube.topology unit_pos_x
// CHECK:   cube.store %{{.*}}, %out
// CHECK-NOT: cube.sync
// CHECK:   scf.yield
cube.kernel @marks(%out: !cube.array<i32>, %n: !cube.array<i32> {cube.access = "read", cube.cubes}) cube_dim(4) {
  %p = cube.topology absolute_pos
  %count = cube.topology cube_count_y
  %z = cube.topology cube_pos_z
  %sum = arith.addi %count, %z : i32
  cube.store %sum, %out[%p] : i32, !cube.array<i32>
  cube.return
}

// The allocation stays before the loop, and the units wait before the next cube writes to it.
// CHECK-LABEL: @shared
// CHECK: cube.alloc
// CHECK: scf.while
// CHECK-NOT: cube.alloc
// CHECK: cube.sync cube
// CHECK: cube.load
// CHECK: cube.sync cube
// CHECK-NEXT: scf.yield
cube.kernel @shared(%out: !cube.array<i32>, %n: !cube.array<i32> {cube.access = "read", cube.cubes}) cube_dim(4) {
  %s = cube.alloc : !cube.shared<4 x i32>
  %three = arith.constant 3 : i32
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %p = cube.topology absolute_pos
  %v = arith.addi %c, %u : i32
  cube.store %v, %s[%u] : i32, !cube.shared<4 x i32>
  cube.sync cube
  %other = arith.subi %three, %u : i32
  %w = cube.load %s[%other] : !cube.shared<4 x i32> -> i32
  cube.store %w, %out[%p] : i32, !cube.array<i32>
  cube.return
}

// A kernel without the attribute does not change.
// CHECK-LABEL: @plain
// CHECK-NEXT: cube.return
cube.kernel @plain(%n: !cube.array<i32>) cube_dim(4) {
  cube.return
}
