// RUN: cube-opt %s --emit-unit-loops --cube-stats 2>%t.stats | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.stats

// A kernel that uses only the linear position: one loop over all absolute positions.
// CHECK-LABEL: llvm.func internal @flat.body(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[LEN:.*]]: i64, %[[A:.*]]: f32, %[[CX:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64)
// CHECK: %[[D:.*]] = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: llvm.insertvalue %[[LEN]], %{{.*}}[3, 0]
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK: %[[DIM:.*]] = arith.constant 64 : i64
// CHECK: %[[LO:.*]] = arith.muli %[[FIRST]], %[[DIM]] : i64
// CHECK: %[[HI:.*]] = arith.muli %[[LAST]], %[[DIM]] : i64
// CHECK: scf.for unsigned %[[AT:.*]] = %[[LO]] to %[[HI]] step %{{.*}} : i64 {
// CHECK-NEXT: %[[POS:.*]] = arith.trunci %[[AT]] overflow<nuw> : i64 to i32
// CHECK: %[[I:.*]] = arith.index_castui %[[POS]] : i32 to index
// CHECK-NEXT: memref.store %[[A]], %[[M]][%[[I]]] : memref<?xf32>
// CHECK: llvm.return
// The entry function unpacks the launch arguments: buffers at 0, lengths at 8, scalars at 16, cube counts from 24.
// CHECK: llvm.func @flat(%[[L:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) attributes {cube.scratch_bytes = 0 : i64} {
// CHECK: llvm.getelementptr %[[L]][0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %[[L]][8]
// CHECK: llvm.getelementptr %[[L]][16]
// CHECK: llvm.getelementptr %[[L]][24]
// CHECK: llvm.getelementptr %[[L]][28]
// CHECK: llvm.getelementptr %[[L]][32]
// CHECK: llvm.call @flat.body(
cube.kernel @flat(%x: memref<?xf32>, %a: f32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %i = arith.index_castui %p : i32 to index
  memref.store %a, %x[%i] : memref<?xf32>
  cube.return
}

// If a kernel uses any other position, a loop over cubes encloses one loop over each axis of the cube.
// CHECK-LABEL: llvm.func internal @deep.body(
// CHECK: scf.for unsigned %[[CUBE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
// CHECK: arith.remui %[[CUBE]], %[[WX:.*]] : i64
// CHECK:   scf.for unsigned %[[Z:.*]] = %{{.*}} to %{{.*}} step
// CHECK:     scf.for unsigned %[[Y:.*]] = %{{.*}} to %{{.*}} step
// CHECK:       scf.for unsigned %[[X:.*]] = %{{.*}} to %{{.*}} step
// CHECK: arith.trunci %[[X]] overflow<nuw>
// CHECK-NOT: cube.topology
// CHECK: llvm.func @deep(
cube.kernel @deep(%x: memref<?xi32>) cube_dim(8, 4, 2) {
  %p = cube.topology absolute_pos
  %u = cube.topology unit_pos_x
  %i = arith.index_castui %p : i32 to index
  memref.store %u, %x[%i] : memref<?xi32>
  cube.return
}

// A bool is passed as a byte. The naming scheme prevents a kernel's name from equalling another kernel's body.
// CHECK-LABEL: llvm.func @flat_body(
// CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: arith.cmpi ne, %[[B]], %{{.*}} : i8
cube.kernel @flat_body(%p: i1) { cube.return }

// STATS: emit-unit-loops 2 kernels turned into one flat loop

// Planned allocations with common bytes are one block of memory.
// CHECK-LABEL: llvm.func internal @planned.body(
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(256 : i64) : i64
// CHECK: %[[BLOCK:.*]] = llvm.alloca %[[SIZE]] x i8 {alignment = 128 : i64}
// CHECK-NOT: llvm.alloca
// CHECK: llvm.getelementptr %[[BLOCK]][64]
// CHECK-NOT: llvm.alloca
// CHECK: llvm.return
cube.kernel @planned(%x: memref<?xf32>, %a: f32) cube_dim(64) {
  %s = memref.alloca() {cube.shared_offset = 0 : i64} : memref<64xf32, #gpu.address_space<workgroup>>
  %t = memref.alloca() {cube.shared_offset = 64 : i64} : memref<16xf32, #gpu.address_space<workgroup>>
  %p = cube.topology unit_pos
  %i = arith.index_castui %p : i32 to index
  %zero = arith.constant 0 : index
  memref.store %a, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %a, %t[%zero] : memref<16xf32, #gpu.address_space<workgroup>>
  cube.return
}
