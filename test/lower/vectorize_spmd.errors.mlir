// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(vectorize-spmd))' 2>&1 | FileCheck %s

cube.kernel @tile(%x: memref<?xf32>) cube_dim(64) {
  %i = arith.constant 0 : index
  %n = memref.load %x[%i] : memref<?xf32>
  %r = cube.plane_reduce addf %n : f32
  // CHECK: error: type vector<2x4xf32> is not allowed at level legal; use numbers, and vectors of one dimension and a fixed size [CUBE0332]
  %v = vector.broadcast %r : f32 to vector<2x4xf32>
  %p = vector.extract %v[1, 2] : f32 from vector<2x4xf32>
  memref.store %p, %x[%i] : memref<?xf32>
  cube.return
}
