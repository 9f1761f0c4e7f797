// Shared and local memory on GPUs.
// RUN: cube-opt %s --attach-target=target=nvptx --kernel-to-nvvm | FileCheck %s --check-prefixes=CHECK,NV
// RUN: cube-opt %s --attach-target=target=amdgpu:gfx950 --kernel-to-rocdl | FileCheck %s --check-prefixes=CHECK,AMD

// CHECK:     llvm.mlir.global internal @small_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x vector<4xf32>>
// CHECK:     llvm.mlir.global internal @small_shared_1() {{.*}} : !llvm.array<3 x i8>
// CHECK-LABEL: llvm.func @small
// AMD:       llvm.alloca %{{.*}} x !llvm.array<5 x i32> {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
// CHECK:     llvm.mlir.addressof @small_shared_0 : !llvm.ptr<3>
// CHECK-NOT: llvm.addrspacecast
// CHECK:     to memref<64xvector<4xf32>, 3>
// NV:        llvm.alloca %{{.*}} x !llvm.array<5 x i32> {alignment = 16 : i64} : (i32) -> !llvm.ptr
// NV:        memref.store %{{.*}} : memref<5xi32>
// AMD:       memref.store %{{.*}} : memref<5xi32, 5>
// CHECK-NOT: memref.alloca
cube.kernel @small(%p: i32, %n: i32, %b: i8, %f: f32) cube_dim(64) {
  %i = arith.index_castui %p : i32 to index
  %v = vector.broadcast %f : f32 to vector<4xf32>
  %s = memref.alloca() : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
  %t = memref.alloca() : memref<3xi8, #gpu.address_space<workgroup>>
  %l = memref.alloca() : memref<5xi32>
  memref.store %n, %l[%i] : memref<5xi32>
  memref.store %v, %s[%i] : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
  memref.store %b, %t[%i] : memref<3xi8, #gpu.address_space<workgroup>>
  cube.return
}

// Allocations with common bytes are one array. Accesses to arrays without common bytes do not alias, so these arrays
// stay separate.
// CHECK:     llvm.mlir.global internal @planned_shared_0() {{.*}} : !llvm.array<1024 x i8>
// CHECK:     llvm.mlir.global internal @planned_shared_1() {{.*}} : !llvm.array<512 x i8>
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: llvm.func @planned
// CHECK:     llvm.mlir.addressof @planned_shared_0
// CHECK:     llvm.getelementptr %{{.*}}[0]
// CHECK:     llvm.mlir.addressof @planned_shared_1
// CHECK:     llvm.getelementptr %{{.*}}[0]
// CHECK:     llvm.mlir.addressof @planned_shared_0
// CHECK:     llvm.getelementptr %{{.*}}[0]
// CHECK:     llvm.mlir.addressof @planned_shared_0
// CHECK:     llvm.getelementptr %{{.*}}[256]
cube.kernel @planned(%p: i32, %n: i32, %f: f32, %h: f16) cube_dim(64) {
  %i = arith.index_castui %p : i32 to index
  %s = memref.alloca() {cube.shared_offset = 0 : i64} : memref<256xf32, #gpu.address_space<workgroup>>
  %t = memref.alloca() {cube.shared_offset = 1024 : i64} : memref<128xi32, #gpu.address_space<workgroup>>
  %u = memref.alloca() {cube.shared_offset = 0 : i64} : memref<64xf16, #gpu.address_space<workgroup>>
  %v = memref.alloca() {cube.shared_offset = 256 : i64} : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %f, %s[%i] : memref<256xf32, #gpu.address_space<workgroup>>
  memref.store %n, %t[%i] : memref<128xi32, #gpu.address_space<workgroup>>
  memref.store %h, %u[%i] : memref<64xf16, #gpu.address_space<workgroup>>
  memref.store %f, %v[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  cube.return
}

// If the launch reserves shared memory, each allocation has its planned offset. An allocation without one follows.
// NV:        llvm.mlir.global external @large_planned_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @large_planned
// NV:        llvm.getelementptr %{{.*}}[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// NV:        llvm.getelementptr %{{.*}}[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// NV:        llvm.getelementptr %{{.*}}[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
cube.kernel @large_planned(%p: i32, %f: f32) cube_dim(64) {
  %i = arith.index_castui %p : i32 to index
  %s = memref.alloca() : memref<4xf32, #gpu.address_space<workgroup>>
  %t = memref.alloca() {cube.shared_offset = 0 : i64} : memref<16384xf32, #gpu.address_space<workgroup>>
  %u = memref.alloca() {cube.shared_offset = 0 : i64} : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %f, %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
  memref.store %f, %t[%i] : memref<16384xf32, #gpu.address_space<workgroup>>
  memref.store %f, %u[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  cube.return
}

// Beyond 48 KiB, NVIDIA GPUs allocate shared memory at launch: one external array, with an offset for each allocation.
// NV:        llvm.mlir.global external @large_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// AMD:       llvm.mlir.global internal @large_shared_0() {{.*}} : !llvm.array<8193 x f32>
// CHECK-LABEL: llvm.func @large
// NV:        llvm.getelementptr %{{.*}}[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// NV:        llvm.getelementptr %{{.*}}[32784] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
cube.kernel @large(%p: i32, %v: f32) cube_dim(64) {
  %i = arith.index_castui %p : i32 to index
  %s = memref.alloca() : memref<8193xf32, #gpu.address_space<workgroup>>
  %t = memref.alloca() : memref<8192xf32, #gpu.address_space<workgroup>>
  memref.store %v, %s[%i] : memref<8193xf32, #gpu.address_space<workgroup>>
  memref.store %v, %t[%i] : memref<8192xf32, #gpu.address_space<workgroup>>
  cube.return
}
