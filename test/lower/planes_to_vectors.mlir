// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-at-barriers,planes-to-vectors,canonicalize))' | FileCheck %s

// One loop over 8 planes, and in it a loop over 8 lanes before the sum and one after. Three steps add 8 lanes.
// CHECK-LABEL: cube.kernel @sums
// CHECK: %[[V:.*]] = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %c8{{.*}} step
// CHECK:   scf.for unsigned %{{.*}} = %{{.*}} to %c8{{.*}} step
// CHECK:     memref.store %{{.*}}, %[[V]]
// CHECK:   {cube.loop = "lane"}
// CHECK:   %[[ALL:.*]] = vector.load %[[V]][%{{.*}}] : memref<8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
// CHECK:   arith.addf %{{.*}} : vector<4xf32>
// CHECK:   arith.addf %{{.*}} : vector<2xf32>
// CHECK:   arith.addf %{{.*}} : vector<1xf32>
// CHECK:   %[[SUM:.*]] = vector.extract
// CHECK:   scf.for unsigned
// CHECK:     memref.store %[[SUM]], %x
// CHECK:   {cube.loop = "lane"}
// CHECK: {cube.loop = "plane"}
cube.kernel @sums(%x: memref<?xf32>) cube_dim(64) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xf32>
  %r = cube.plane_reduce addf %v : f32
  memref.store %r, %x[%i] : memref<?xf32>
  cube.return
}

// The last of 3 planes has 4 lanes: the loops end there, and the others bring what changes nothing.
// CHECK-LABEL: cube.kernel @partial
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %c3{{.*}} step
// CHECK:   arith.minui
// CHECK:   {cube.loop = "lane"}
// CHECK:   memref.store %[[LEAST]]
// CHECK:   vector.load
// CHECK:   arith.maxsi %{{.*}} : vector<4xi32>
cube.kernel @partial(%x: memref<?xi32>) cube_dim(20) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %r = cube.plane_reduce maxsi %v : i32
  memref.store %r, %x[%i] : memref<?xi32>
  cube.return
}

// Between barriers, only the stretch with a plane operation has planes. What a plane agrees on decides for it, also where
// the agreement is from before the barrier.
// CHECK-LABEL: cube.kernel @between
// CHECK:   {cube.loop = "plane"}
// CHECK: scf.for unsigned
// CHECK:   scf.if
// CHECK:     {cube.loop = "lane"}
// CHECK:     vector.load
// CHECK:   {cube.loop = "plane"}
// CHECK: scf.for unsigned
// CHECK: {cube.loop = "unit_x"}
cube.kernel @between(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.cmpi ult, %v, %n : i32
  %any = cube.plane_vote any %low
  cube.sync cube
  scf.if %any {
    %s = cube.plane_scan exclusive addi %v : i32
    memref.store %s, %x[%i] : memref<?xi32>
  }
  cube.sync cube
  memref.store %u, %x[%i] : memref<?xi32>
  cube.return
}
