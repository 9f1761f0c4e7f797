// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-private-memory))' | FileCheck %s

// With a barrier, the array is interleaved: each line contains the elements of all units at one index.
// CHECK-LABEL: cube.kernel @has_barrier
// CHECK: %[[M:.*]] = memref.alloca() : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: %[[LINE:.*]] = arith.muli %[[I:.*]], %c64 : index
// CHECK: %[[AT:.*]] = arith.addi %[[LINE]], %{{.*}} : index
// CHECK: memref.store %v, %[[M]][%[[AT]]]
// CHECK: cube.sync cube
cube.kernel @has_barrier(%x: memref<?xf32>, %v: f32) cube_dim(64) {
  %three = arith.constant 3 : index
  %m = memref.alloca() : memref<16xf32>
  memref.store %v, %m[%three] : memref<16xf32>
  cube.sync cube
  %w = memref.load %m[%three] : memref<16xf32>
  memref.store %w, %x[%three] : memref<?xf32>
  cube.return
}

// Without barriers and plane operations, units run one after another and reuse one allocation.
// CHECK-LABEL: cube.kernel @alone
// CHECK: memref.alloca() : memref<16xf32>
cube.kernel @alone(%x: memref<?xf32>, %v: f32) cube_dim(64) {
  %three = arith.constant 3 : index
  %m = memref.alloca() : memref<16xf32>
  memref.store %v, %m[%three] : memref<16xf32>
  %w = memref.load %m[%three] : memref<16xf32>
  memref.store %w, %x[%three] : memref<?xf32>
  cube.return
}
