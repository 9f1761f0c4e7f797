// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(prefetch-tiles))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(prefetch-tiles))' --cube-remarks=missed 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// The second loop over units prefetches what the first one loads in the next iteration, if the buffers do not fit the
// cache: 16 elements of f32 are one cache line, and 16 of f64 are two.
// CHECK-LABEL: @tiles
// CHECK: %[[A:.*]] = memref.dim %a
// CHECK: %[[A4:.*]] = arith.muli %[[A]], %{{.*}} : index
// CHECK: %[[D:.*]] = memref.dim %d
// CHECK: %[[D8:.*]] = arith.muli %[[D]], %{{.*}} : index
// CHECK: %[[ALL:.*]] = arith.addi %[[A4]], %[[D8]] : index
// CHECK: %[[LARGE:.*]] = arith.cmpi ugt, %[[ALL]], %c1048576
// CHECK: scf.for unsigned %[[K:.*]] = %{{.*}} to %n step %[[STEP:.*]] : i32 {
// CHECK:   scf.forall
// CHECK-NOT: memref.prefetch
// CHECK:   scf.forall (%[[UNIT:.*]]) in (16)
// CHECK:     scf.if %[[LARGE]] {
// CHECK-DAG:   %[[NEXT:.*]] = arith.addi %[[K]], %[[STEP]] : i32
// CHECK-DAG:   %[[OWN:.*]] = arith.index_castui %[[UNIT]] : index to i32
// CHECK:       %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NOT:   overflow
// CHECK:       %[[INDEX:.*]] = arith.index_castui %[[AT]] : i32 to index
// CHECK:       memref.prefetch %a[%[[INDEX]]], read, locality<2>, data : memref<?xf32>
// CHECK:       memref.prefetch %d[%[[INDEX]]], read, locality<2>, data : memref<?xf64>
// CHECK:       %[[SECOND:.*]] = arith.addi %[[INDEX]], %{{.*}} : index
// CHECK:       memref.prefetch %d[%[[SECOND]]], read, locality<2>, data : memref<?xf64>
// CHECK-NOT:   memref.prefetch
// CHECK:     }
// CHECK:     scf.for
cube.kernel @tiles(%a: memref<?xf32>, %d: memref<?xf64>, %same: memref<?xf32>, %n: i32) cube_dim(16, 16) attributes {cube.plane_dim = 16 : i32} {
  %tile = memref.alloca() : memref<256xf32, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  scf.for unsigned %k = %c0 to %n step %c16 : i32 {
    %base = arith.muli %k, %n : i32
    scf.forall (%u) in (16) {
      %unit = arith.index_castui %u : index to i32
      %at = arith.addi %base, %unit overflow<nuw> : i32
      %index = arith.index_castui %at : i32 to index
      %v = vector.load %a[%index] : memref<?xf32>, vector<16xf32>
      %again = vector.load %a[%index] : memref<?xf32>, vector<16xf32>
      %wide = vector.load %d[%index] : memref<?xf64>, vector<16xf64>
      // The same elements in every iteration.
      %fixed = vector.load %same[%u] : memref<?xf32>, vector<16xf32>
      %sum = arith.addf %v, %fixed : vector<16xf32>
      vector.store %sum, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
    } {mapping = [#gpu.warp<linear_dim_0>]}
    scf.forall (%u) in (16) {
      scf.for unsigned %j = %c0 to %c16 step %one : i32 {
        %v = vector.load %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
        vector.store %v, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
      }
    } {mapping = [#gpu.warp<linear_dim_0>]}
  }
  cube.return
}

// An index that is loaded, or that a loop inside the units counts, is not known in advance. A gather has no single
// index.
// CHECK-LABEL: @unknown
// CHECK-NOT: memref.prefetch
// REMARK: missed [prefetch-tiles:prefetch] the load is not prefetched, because its index in the next iteration depends on a load, a carried value or a loop
// REMARK: missed [prefetch-tiles:prefetch] the load is not prefetched, because its index in the next iteration depends on a load, a carried value or a loop
// REMARK-NOT: prefetch-tiles
cube.kernel @unknown(%a: memref<?xf32>, %where: memref<?xi32>, %n: i32) cube_dim(16, 16) attributes {cube.plane_dim = 16 : i32} {
  %tile = memref.alloca() : memref<256xf32, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  %first = memref.load %where[%i0] : memref<?xi32>
  scf.for unsigned %k = %c0 to %n step %c16 : i32 {
    scf.forall (%u) in (16) {
      %own = memref.load %where[%u] : memref<?xi32>
      %far = arith.addi %own, %k : i32
      %index = arith.index_castui %far : i32 to index
      %v = vector.load %a[%index] : memref<?xf32>, vector<16xf32>
      vector.store %v, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
      scf.for unsigned %j = %c0 to %c16 step %one : i32 {
        %at = arith.addi %k, %j : i32
        %inner = arith.index_castui %at : i32 to index
        %w = vector.load %a[%inner] : memref<?xf32>, vector<16xf32>
        vector.store %w, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
      }
    } {mapping = [#gpu.warp<linear_dim_0>]}
    scf.forall (%u) in (16) {
      scf.for unsigned %j = %c0 to %c16 step %one : i32 {
        %v = vector.load %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
        vector.store %v, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
      }
    } {mapping = [#gpu.warp<linear_dim_0>]}
  }
  cube.return
}

// Without a loop after the loads, the prefetch would have no time to run.
// CHECK-LABEL: @nothing_to_compute
// CHECK-NOT: memref.prefetch
cube.kernel @nothing_to_compute(%a: memref<?xf32>, %n: i32) cube_dim(16, 16) attributes {cube.plane_dim = 16 : i32} {
  %tile = memref.alloca() : memref<256xf32, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %i0 = arith.constant 0 : index
  scf.for unsigned %k = %c0 to %n step %c16 : i32 {
    %index = arith.index_castui %k : i32 to index
    scf.forall (%u) in (16) {
      %v = vector.load %a[%index] : memref<?xf32>, vector<16xf32>
      vector.store %v, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
    } {mapping = [#gpu.warp<linear_dim_0>]}
    scf.forall (%u) in (16) {
      %v = vector.load %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
      vector.store %v, %tile[%i0] : memref<256xf32, #gpu.address_space<workgroup>>, vector<16xf32>
    } {mapping = [#gpu.warp<linear_dim_0>]}
  }
  cube.return
}
