// RUN: cube-opt %s --cse --loop-invariant-code-motion --canonicalize | FileCheck %s

// Equal plane operations in one block are merged, but not across a barrier or across blocks. Plane operations are not
// hoisted from loops. Unused plane operations are removed.
// CHECK-LABEL: @planes
// CHECK: %[[A:.*]] = cube.plane_reduce addf %v
// CHECK-NEXT: cube.store %[[A]], %x[%n]
// CHECK-NEXT: cube.store %[[A]], %x[%n]
// CHECK: cube.sync cube
// CHECK: %[[B:.*]] = cube.plane_reduce addf %v
// CHECK: cube.store %[[B]]
// CHECK: scf.if
// CHECK: cube.plane_reduce addf %v
// CHECK: scf.for
// CHECK: cube.plane_reduce mulf %v
// CHECK-NOT: plane_scan
// CHECK: cube.return
cube.kernel @planes(%x: !cube.array<f32>, %v: f32, %n: i32, %m: i32, %p: i1) cube_dim(64) {
  %a = cube.plane_reduce addf %v : f32
  %b = cube.plane_reduce addf %v : f32
  cube.store %a, %x[%n] : f32, !cube.array<f32>
  cube.store %a, %x[%n] : f32, !cube.array<f32>
  cube.sync cube
  %c = cube.plane_reduce addf %v : f32
  cube.store %c, %x[%n] : f32, !cube.array<f32>
  scf.if %p {
    %d = cube.plane_reduce addf %v : f32
    cube.store %d, %x[%n] : f32, !cube.array<f32>
  }
  scf.for %i = %n to %m step %n : i32 {
    %e = cube.plane_reduce mulf %v : f32
    cube.store %e, %x[%i] : f32, !cube.array<f32>
  }
  %dead = cube.plane_scan inclusive addf %b : f32
  cube.return
}
