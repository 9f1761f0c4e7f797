// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions,canonicalize))' | FileCheck %s

// A barrier splits the kernel into two loops over units. The position is recomputed; an array keeps the loaded value.
// CHECK-LABEL: cube.kernel @neighbours
// CHECK-DAG: %[[KEPT:.*]] = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[TILE:.*]] = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: scf.forall
// CHECK:   %[[V:.*]] = memref.load %x
// CHECK:   memref.store %[[V]], %[[KEPT]]
// CHECK:   memref.store %[[V]], %[[TILE]]
// CHECK: {mapping = [#gpu.thread<x>]}
// CHECK-NOT: cube.sync
// CHECK: scf.forall
// CHECK:   %[[OWN:.*]] = memref.load %[[KEPT]]
// CHECK:   %[[OTHER:.*]] = memref.load %[[TILE]]
// CHECK:   arith.addf %[[OWN]], %[[OTHER]]
// CHECK: {mapping = [#gpu.thread<x>]}
cube.kernel @neighbours(%x: memref<?xf32>) cube_dim(64) {
  %one = arith.constant 1 : i32
  %tile = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %tile[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  cube.sync cube
  %next = arith.xori %u, %one : i32
  %j = arith.index_castui %next : i32 to index
  %w = memref.load %tile[%j] : memref<64xf32, #gpu.address_space<workgroup>>
  %s = arith.addf %v, %w : f32
  memref.store %s, %x[%i] : memref<?xf32>
  cube.return
}

// The loop encloses the loops over units. An array keeps each unit's sum; the uniform count is a loop-carried value.
// CHECK-LABEL: cube.kernel @accumulates
// CHECK: %[[SUM:.*]] = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: scf.forall {{.*}} {
// CHECK:   memref.store %{{.*}}, %[[SUM]]
// CHECK: {mapping = [#gpu.thread<x>]}
// CHECK: %[[N:.*]] = scf.for %{{.*}} = %{{.*}} to %n step %{{.*}} iter_args(%[[COUNT:.*]] = %{{.*}}) -> (i32)
// CHECK:   scf.forall
// CHECK:     memref.load %[[SUM]]
// CHECK:     memref.store %{{.*}}, %[[SUM]]
// CHECK:   {mapping = [#gpu.thread<x>]}
// CHECK:   scf.yield %{{.*}} : i32
// A value that depends only on the uniform count is computed once.
// CHECK: %[[AT:.*]] = arith.index_castui %[[N]]
// CHECK: scf.forall
// CHECK:   %[[OWN:.*]] = memref.load %[[SUM]]
// CHECK:   memref.store %[[OWN]], %x[%[[AT]]]
cube.kernel @accumulates(%x: memref<?xf32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %sum, %count = scf.for %k = %zero to %n step %one iter_args(%s = %start, %c = %zero) -> (f32, i32) : i32 {
    cube.sync cube
    %v = memref.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    %d = arith.addi %c, %one : i32
    scf.yield %t, %d : f32, i32
  }
  %j = arith.index_castui %count : i32 to index
  memref.store %sum, %x[%j] : memref<?xf32>
  cube.return
}

// Each unit loads the uniform condition; one cell keeps it across the barrier.
// CHECK-LABEL: cube.kernel @decides
// CHECK: %[[CELL:.*]] = memref.alloca() : memref<1xi8, #gpu.address_space<workgroup>>
// CHECK: scf.forall
// CHECK:   memref.store %{{.*}}, %[[CELL]]
// CHECK: {mapping = [#gpu.thread<x>]}
// CHECK: %[[BYTE:.*]] = memref.load %[[CELL]]
// CHECK: %[[YES:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: scf.if %[[YES]] {
// CHECK:   scf.forall
// CHECK:   scf.forall
cube.kernel @decides(%x: memref<?xi32>) cube_dim(64) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %flag = memref.load %x[%zero] : memref<?xi32>
  %yes = arith.cmpi ne, %flag, %none : i32
  scf.if %yes {
    memref.store %u, %x[%i] : memref<?xi32>
    cube.sync cube
    memref.store %none, %x[%i] : memref<?xi32>
  }
  cube.return
}

// A kernel without a barrier is unchanged.
// CHECK-LABEL: cube.kernel @alone
// CHECK-NOT: scf.forall
cube.kernel @alone(%x: memref<?xi32>) cube_dim(64) {
  %zero = arith.constant 0 : index
  %u = cube.topology unit_pos
  memref.store %u, %x[%zero] : memref<?xi32>
  cube.return
}

// Masked vector stores and scatters write memory, so each unit executes them.
// CHECK-LABEL: cube.kernel @masked
// CHECK: scf.forall
// CHECK:   vector.maskedstore
// CHECK:   vector.scatter
// CHECK: {mapping = [#gpu.thread<x>]}
cube.kernel @masked(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : index
  %at = arith.constant dense<[0, 2, 4, 6]> : vector<4xindex>
  %zeros = arith.constant 0 : i32
  %is = arith.cmpi eq, %n, %zeros : i32
  %all = vector.broadcast %is : i1 to vector<4xi1>
  %v = arith.constant dense<7> : vector<4xi32>
  vector.maskedstore %x[%zero], %all, %v : memref<?xi32>, vector<4xi1>, vector<4xi32>
  vector.scatter %x[%zero] [%at], %all, %v : memref<?xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32>
  cube.sync cube
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  memref.store %u, %x[%i] : memref<?xi32>
  cube.return
}

// MLIR removes an ordinary loop with one iteration, but a loop over units is kept: its body reads the unit's position.
// CHECK-LABEL: cube.kernel @single
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK:   memref.store
// CHECK: } {mapping = [#gpu.thread<x>]}
// CHECK: scf.forall (%{{.*}}) in (1) {
cube.kernel @single(%x: memref<?xi32>) cube_dim(1) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  %v = memref.load %x[%zero] : memref<?xi32>
  memref.store %one, %x[%zero] : memref<?xi32>
  cube.sync cube
  memref.store %v, %x[%zero] : memref<?xi32>
  cube.return
}
