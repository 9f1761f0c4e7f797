// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fix-plane-dim))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fix-plane-dim{lanes=32}))' | FileCheck %s --check-prefix=WIDE
// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fix-plane-dim{lanes=12}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK-LABEL: cube.kernel @lanes
// CHECK-SAME: cube.plane_dim = 8 : i32
// CHECK: %[[N:.*]] = arith.constant 8 : i32
// CHECK: memref.store %[[N]]
// WIDE: cube.plane_dim = 32 : i32
// WIDE: %[[N:.*]] = arith.constant 32 : i32
// WIDE: memref.store %[[N]]
// ERROR: planes of 12 lanes are not possible on the CPU: choose 8, 16, 32 or 64 [CUBE0342]
cube.kernel @lanes(%x: memref<?xi32>) cube_dim(64) {
  %n = cube.topology plane_dim
  %i = arith.index_castui %n : i32 to index
  memref.store %n, %x[%i] : memref<?xi32>
  cube.return
}
