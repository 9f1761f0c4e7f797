// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(vectorize-spmd))' 2>&1 | FileCheck %s

// A memory copy is neither a computation nor an access that can be masked.
cube.kernel @copy(%x: memref<?xf32>, %y: memref<?xf32>) cube_dim(64) {
  %i = cube.topology unit_pos
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : i32
  %v = memref.load %x[%0] : memref<?xf32>
  %r = cube.plane_reduce addf %v : f32
  %odd = arith.cmpi ult, %i, %1 : i32
  scf.if %odd {
    // CHECK: error: 'memref.copy' cannot be vectorised over units; please report this kernel [CUBE0398]
    memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  }
  memref.store %r, %x[%0] : memref<?xf32>
  cube.return
}
