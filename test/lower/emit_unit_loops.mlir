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

// The kernel has an index that does not grow linearly with the position, so LLVM does not know the bounds of the accesses.
// If the buffers do not overlap, the entry function calls a body whose pointers are noalias.
// CHECK-LABEL: llvm.func internal @gather.body.apart(
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i32, %{{.*}}: i32,
// CHECK-LABEL: llvm.func internal @gather.body(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64,
// CHECK-LABEL: llvm.func @gather(
// CHECK: %[[X:.*]] = llvm.ptrtoint
// CHECK: %[[LINE:.*]] = arith.constant 4 : i64
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %[[LINE]] : i64
// CHECK: %[[END:.*]] = arith.addi %[[X]], %[[BYTES]] : i64
// CHECK: %[[Y:.*]] = llvm.ptrtoint
// CHECK: %[[BYTE:.*]] = arith.constant 1 : i64
// CHECK: %[[YBYTES:.*]] = arith.muli %{{.*}}, %[[BYTE]] : i64
// CHECK: %[[YEND:.*]] = arith.addi %[[Y]], %[[YBYTES]] : i64
// CHECK: %[[BEFORE:.*]] = arith.cmpi ule, %[[END]], %[[Y]] : i64
// CHECK: %[[AFTER:.*]] = arith.cmpi ule, %[[YEND]], %[[X]] : i64
// CHECK: %[[APART:.*]] = arith.ori %[[BEFORE]], %[[AFTER]] : i1
// CHECK: scf.if %[[APART]] {
// CHECK:   llvm.call @gather.body.apart(
// CHECK: } else {
// CHECK:   llvm.call @gather.body(
cube.kernel @gather(%x: memref<?xi32>, %y: memref<?xi8>, %n: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %row = arith.divui %p, %n : i32
  %i = arith.index_castui %row : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %b = arith.trunci %v : i32 to i8
  %j = arith.index_castui %p : i32 to index
  memref.store %b, %y[%j] : memref<?xi8>
  cube.return
}

// One body suffices if all indices grow linearly, if a kernel accesses one buffer, and if nothing is written.
// CHECK-NOT: .apart
// CHECK-LABEL: llvm.func @linear(
cube.kernel @linear(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %scaled = arith.muli %p, %n : i32
  %i = arith.index_castui %scaled : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %j = arith.index_castui %p : i32 to index
  memref.store %v, %y[%j] : memref<?xi32>
  cube.return
}

// CHECK-LABEL: llvm.func @one_buffer(
cube.kernel @one_buffer(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %row = arith.divui %p, %n : i32
  %i = arith.index_castui %row : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %j = arith.index_castui %p : i32 to index
  memref.store %v, %x[%j] : memref<?xi32>
  cube.return
}

// STATS: emit-unit-loops 5 kernels turned into one flat loop
// STATS: emit-unit-loops 1 kernels whose cubes run in bands
// STATS: emit-unit-loops 1 kernels with a body for buffers that do not overlap

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

// A loop reads one buffer by the position of the cube along x and another by the position along y, so the cubes run in bands of
// four rows: the position along y changes first.
// CHECK-LABEL: llvm.func internal @bands.body(
// CHECK: scf.for unsigned %[[CUBE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
// CHECK: %[[HEIGHT:.*]] = arith.constant 4 : i64
// CHECK: %[[LAYER:.*]] = arith.muli %[[CX:.*]], %[[CY:.*]] : i64
// CHECK: %[[IN:.*]] = arith.remui %[[CUBE]], %[[LAYER]] : i64
// CHECK: %[[BAND:.*]] = arith.muli %[[CX]], %[[HEIGHT]] : i64
// CHECK: %[[NUMBER:.*]] = arith.divui %[[IN]], %[[BAND]] : i64
// CHECK: %[[PLACE:.*]] = arith.remui %[[IN]], %[[BAND]] : i64
// CHECK: %[[TOP:.*]] = arith.muli %[[NUMBER]], %[[HEIGHT]] : i64
// CHECK: %[[LEFT:.*]] = arith.subi %[[CY]], %[[TOP]] : i64
// CHECK: %[[ROWS:.*]] = arith.minui %[[HEIGHT]], %[[LEFT]] : i64
// CHECK: arith.divui %[[PLACE]], %[[ROWS]] : i64
// CHECK: arith.remui %[[PLACE]], %[[ROWS]] : i64
cube.kernel @bands(%a: memref<?xf32>, %b: memref<?xf32>, %r: memref<?xf32>, %n: i32) cube_dim(8) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %x = cube.topology cube_pos_x
  %y = cube.topology cube_pos_y
  %s = scf.for unsigned %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %i = arith.addi %x, %k : i32
    %j = arith.addi %y, %k : i32
    %ii = arith.index_castui %i : i32 to index
    %jj = arith.index_castui %j : i32 to index
    %p = memref.load %a[%ii] : memref<?xf32>
    %q = memref.load %b[%jj] : memref<?xf32>
    %t = math.fma %p, %q, %sum : f32
    scf.yield %t : f32
  }
  %at = cube.topology absolute_pos
  %o = arith.index_castui %at : i32 to index
  memref.store %s, %r[%o] : memref<?xf32>
  cube.return
}

// Both loads depend on both positions, so that no order of the cubes reuses more: the cubes run in rows.
// CHECK-LABEL: llvm.func internal @both.body(
// CHECK-NOT: arith.minui
// CHECK: llvm.func @both(
cube.kernel @both(%a: memref<?xf32>, %b: memref<?xf32>, %r: memref<?xf32>, %n: i32) cube_dim(8) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %x = cube.topology cube_pos_x
  %y = cube.topology cube_pos_y
  %xy = arith.muli %x, %y : i32
  %s = scf.for unsigned %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %i = arith.addi %xy, %k : i32
    %ii = arith.index_castui %i : i32 to index
    %j = arith.addi %y, %k : i32
    %jj = arith.index_castui %j : i32 to index
    %p = memref.load %a[%ii] : memref<?xf32>
    %q = memref.load %b[%jj] : memref<?xf32>
    %t = math.fma %p, %q, %sum : f32
    scf.yield %t : f32
  }
  %at = cube.topology absolute_pos
  %o = arith.index_castui %at : i32 to index
  memref.store %s, %r[%o] : memref<?xf32>
  cube.return
}
