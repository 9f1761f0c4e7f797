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
