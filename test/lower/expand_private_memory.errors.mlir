// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-private-memory))' 2>&1 | FileCheck %s

cube.kernel @measured(%x: memref<?xindex>) cube_dim(64) {
  %zero = arith.constant 0 : index
  %m = memref.alloca() : memref<16xf32>
  // CHECK: error: 'memref.dim' cannot use local memory in a kernel with barriers or plane operations; use loads and stores [CUBE0343]
  %n = memref.dim %m, %zero : memref<16xf32>
  cube.sync cube
  memref.store %n, %x[%zero] : memref<?xindex>
  cube.return
}
