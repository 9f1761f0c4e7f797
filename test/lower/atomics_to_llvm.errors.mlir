// RUN: not cube-opt %s --pass-pipeline='builtin.module(atomics-to-llvm)' 2>&1 | FileCheck %s

cube.kernel @early(%x: memref<?xf32>, %f: f32) cube_dim(8) {
  %zero = arith.constant 0 : index
  // CHECK: error: 'cube.atomic_rmw' with kind addf on a float has no native instruction in this lowering; run expand-atomics before this pass [CUBE0344]
  %old = cube.atomic_rmw addf %f, %x[%zero] : f32, memref<?xf32>
  cube.return
}
