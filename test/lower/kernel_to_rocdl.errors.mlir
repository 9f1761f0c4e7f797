// RUN: split-file %s %t
// RUN: cube-opt %t/target.mlir --attach-target=target=nvptx:sm_80 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/lanes.mlir --attach-target=target=amdgpu:gfx1100 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/shared.mlir --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/shared.mlir --attach-target=target=amdgpu:gfx950 --kernel-to-rocdl -o /dev/null
// RUN: cube-opt %t/length.mlir --attach-target=target=nvptx --kernel-to-nvvm --verify-diagnostics

//--- target.mlir
// expected-error@+1 CUBE0320 {pass = "kernel-to-rocdl", own = "amdgpu", other = "nvptx:sm_80"}
module {
  cube.kernel @k() { cube.return }
}

//--- lanes.mlir
// expected-error@+1 CUBE0353 {chip = "amdgpu:gfx1100", widths = "[32, 64]", lanes = "8"}
cube.kernel @lanes(%x: memref<?xi32>) cube_dim(32) attributes {cube.plane_dim = 8 : i32} {
  %n = cube.topology plane_dim
  %0 = arith.constant 0 : index
  memref.store %n, %x[%0] : memref<?xi32>
  cube.return
}

//--- shared.mlir
// expected-error@+1 CUBE0321 {bytes = "65552", chip = "amdgpu:gfx942", limit = "65536"}
cube.kernel @shared(%x: memref<?xi32>) cube_dim(32) {
  %0 = arith.constant 0 : index
  %a = memref.alloca() : memref<16384xi32, #gpu.address_space<workgroup>>
  %b = memref.alloca() : memref<1xi32, #gpu.address_space<workgroup>>
  %v = memref.load %a[%0] : memref<16384xi32, #gpu.address_space<workgroup>>
  %w = memref.load %b[%0] : memref<1xi32, #gpu.address_space<workgroup>>
  %s = arith.addi %v, %w : i32
  memref.store %s, %x[%0] : memref<?xi32>
  cube.return
}

//--- length.mlir
cube.kernel @open(%x: memref<?xi32>) cube_dim(32) {
  %0 = arith.constant 0 : index
  // expected-error@+1 CUBE0322 {ty = "memref<?xi32>"}
  %s = memref.alloca(%0) : memref<?xi32>
  %v = memref.load %s[%0] : memref<?xi32>
  memref.store %v, %x[%0] : memref<?xi32>
  cube.return
}
