// RUN: cube-opt %s --bf16-to-bits | FileCheck %s

// CHECK-LABEL: cube.kernel @moves(%x: memref<?xi16>, %y: memref<?xvector<4xi16>>, %n: i32, %p: i1)
// CHECK: %[[C:.*]] = arith.constant 16320 : i16
// CHECK: %[[V:.*]] = memref.load %x[%{{.*}}] : memref<?xi16>
// CHECK: %[[S:.*]] = arith.select %p, %[[V]], %[[C]] : i16
// CHECK: %[[R:.*]] = scf.if %p -> (i16) {
// CHECK: memref.store %[[R]], %x[%{{.*}}] : memref<?xi16>
// CHECK: memref.store %{{.*}}, %y[%{{.*}}] : memref<?xvector<4xi16>>
cube.kernel @moves(%x: memref<?xbf16>, %y: memref<?xvector<4xbf16>>, %n: i32, %p: i1) cube_dim(4) {
  %i = arith.index_castui %n : i32 to index
  %c = arith.constant 1.5 : bf16
  %v = memref.load %x[%i] : memref<?xbf16>
  %s = arith.select %p, %v, %c : bf16
  %r = scf.if %p -> (bf16) {
    scf.yield %s : bf16
  } else {
    scf.yield %c : bf16
  }
  memref.store %r, %x[%i] : memref<?xbf16>
  %b = vector.broadcast %r : bf16 to vector<4xbf16>
  memref.store %b, %y[%i] : memref<?xvector<4xbf16>>
  cube.return
}

// A kernel with bf16 arithmetic keeps its bf16 buffers.
// CHECK-LABEL: cube.kernel @computes(%x: memref<?xbf16>
// CHECK: arith.addf %{{.*}} : bf16
cube.kernel @computes(%x: memref<?xbf16>, %n: i32) cube_dim(4) {
  %i = arith.index_castui %n : i32 to index
  %v = memref.load %x[%i] : memref<?xbf16>
  %s = arith.addf %v, %v : bf16
  memref.store %s, %x[%i] : memref<?xbf16>
  cube.return
}

// An atomic exchange uses i16: as bf16, a CPU with AVX512-BF16 would flush subnormal numbers to zero.
// CHECK-LABEL: cube.kernel @exchanges(%x: memref<?xi16>
// CHECK: cube.atomic_rmw exchange %{{.*}}, %x[%{{.*}}] : i16, memref<?xi16>
// CHECK: cube.atomic_cas %{{.*}}, %{{.*}}, %x[%{{.*}}] : i16, memref<?xi16>
cube.kernel @exchanges(%x: memref<?xbf16>, %n: i32) cube_dim(4) {
  %i = arith.index_castui %n : i32 to index
  %v = memref.load %x[%i] : memref<?xbf16>
  %o = cube.atomic_rmw exchange %v, %x[%i] : bf16, memref<?xbf16>
  %p = cube.atomic_cas %o, %v, %x[%i] : bf16, memref<?xbf16>
  memref.store %p, %x[%i] : memref<?xbf16>
  cube.return
}
