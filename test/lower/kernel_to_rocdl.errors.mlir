// RUN: split-file %s %t
// RUN: cube-opt %t/target.mlir --attach-target=target=nvptx:sm_80 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/lanes.mlir --attach-target=target=amdgpu:gfx1100 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/shared.mlir --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/shared.mlir --attach-target=target=amdgpu:gfx950 --kernel-to-rocdl -o /dev/null
// RUN: cube-opt %t/local.mlir --attach-target=target=amdgpu:gfx90a --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/local.mlir --attach-target=target=amdgpu:gfx1100 --kernel-to-rocdl -o /dev/null
// RUN: cube-opt %t/wide.mlir --attach-target=target=amdgpu:gfx1100 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/units.mlir --attach-target=target=amdgpu:gfx942 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/most.mlir --attach-target=target=amdgpu:gfx942 --kernel-to-rocdl -o /dev/null
// RUN: cube-opt %t/most.mlir --attach-target=target=nvptx --kernel-to-nvvm -o /dev/null
// RUN: cube-opt %t/depth.mlir --attach-target=target=nvptx --kernel-to-nvvm --verify-diagnostics
// RUN: cube-opt %t/depth.mlir --attach-target=target=amdgpu:gfx942 --kernel-to-rocdl -o /dev/null
// RUN: cube-opt %t/length.mlir --attach-target=target=nvptx --kernel-to-nvvm --verify-diagnostics
// RUN: cube-opt %t/buffers.mlir --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/total.mlir --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics

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
// expected-error@+1 CUBE0321.shared {bytes = "65552", chip = "amdgpu:gfx942", limit = "65536"}
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

//--- local.mlir
cube.kernel @local(%x: memref<?xi32>) cube_dim(64) {
  %0 = arith.constant 0 : index
  // The error is reported at the largest allocation.
  %a = memref.alloca() : memref<1xi32>
  // expected-error@+1 CUBE0321.local {bytes = "131060", chip = "amdgpu:gfx90a", limit = "131056"}
  %b = memref.alloca() : memref<32764xi32>
  %v = memref.load %a[%0] : memref<1xi32>
  %w = memref.load %b[%0] : memref<32764xi32>
  %s = arith.addi %v, %w : i32
  memref.store %s, %x[%0] : memref<?xi32>
  cube.return
}

//--- wide.mlir
cube.kernel @wide(%x: memref<?xi32>) cube_dim(64) attributes {cube.plane_dim = 64 : i32} {
  %0 = arith.constant 0 : index
  // expected-error@+1 CUBE0321.local {bytes = "131072", chip = "amdgpu:gfx1100", limit = "131068"}
  %b = memref.alloca() : memref<32768xi32>
  %w = memref.load %b[%0] : memref<32768xi32>
  memref.store %w, %x[%0] : memref<?xi32>
  cube.return
}

//--- units.mlir
// expected-error@+1 CUBE0321.units {kernel = "units", units = "1056", chip = "amdgpu:gfx942", limit = "1024"}
cube.kernel @units() cube_dim(33, 32) { cube.return }

//--- most.mlir
cube.kernel @most() cube_dim(32, 32) { cube.return }

//--- depth.mlir
// expected-error@+1 CUBE0321.axis {kernel = "depth", units = "65", axis = "z", chip = "nvptx:sm_90a", limit = "64"}
cube.kernel @depth() cube_dim(1, 1, 65) { cube.return }

//--- buffers.mlir
// expected-error@+1 CUBE0332 {ty = "!cube.array<f32>", level = "legal", word = "!cube"}
cube.kernel @buffers(%x: !cube.array<f32>) { cube.return }

//--- total.mlir
cube.kernel @total(%x: i32) {
  // expected-error@+1 CUBE0331 {op = "cube.divui", level = "legal", meaning = "a kernel with memrefs for buffers, with all accesses in bounds, and with integer operations of arith"}
  %v = cube.divui %x, %x : i32
  cube.return
}
