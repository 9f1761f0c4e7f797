// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fix-plane-dim))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fix-plane-dim{lanes=16}))' | FileCheck %s --check-prefix=NARROW
// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fix-plane-dim{lanes=12}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK-LABEL: cube.kernel @lanes
// CHECK-SAME: cube.plane_dim = 32 : i32
// CHECK: %[[N:.*]] = arith.constant 32 : i32
// CHECK: memref.store %[[N]]
// NARROW: cube.plane_dim = 16 : i32
// NARROW: %[[N:.*]] = arith.constant 16 : i32
// NARROW: memref.store %[[N]]
// ERROR: a plane of the CPU cannot have 12 lanes; choose one of [8, 16, 32, 64] [CUBE0342]
cube.kernel @lanes(%x: memref<?xi32>) cube_dim(64) {
  %n = cube.topology plane_dim
  %i = arith.index_castui %n : i32 to index
  memref.store %n, %x[%i] : memref<?xi32>
  cube.return
}

// The kernel's attribute overrides the plane size of the target.
// CHECK-LABEL: cube.kernel @own
// CHECK-SAME: cube.plane_dim = 8 : i32
// CHECK: arith.constant 8 : i32
cube.kernel @own(%x: memref<?xi32>) cube_dim(64) attributes {cube.plane_dim = 8 : i32} {
  %n = cube.topology plane_dim
  %i = arith.index_castui %n : i32 to index
  memref.store %n, %x[%i] : memref<?xi32>
  cube.return
}
