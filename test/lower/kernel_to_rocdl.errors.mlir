// RUN: split-file %s %t
// RUN: cube-opt %t/target.mlir --attach-target=target=nvptx:sm_80 --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/lanes.mlir --attach-target=target=amdgpu --kernel-to-rocdl --verify-diagnostics
// RUN: cube-opt %t/length.mlir --attach-target=target=nvptx --kernel-to-nvvm --verify-diagnostics

//--- target.mlir
// expected-error@+1 CUBE0320 {pass = "kernel-to-rocdl", own = "amdgpu", other = "nvptx:sm_80"}
module {
  cube.kernel @k() { cube.return }
}

//--- lanes.mlir
cube.kernel @lanes(%x: memref<?xi32>) cube_dim(32) {
  // expected-error@+1 CUBE0321
  %n = cube.topology plane_dim
  %0 = arith.constant 0 : index
  memref.store %n, %x[%0] : memref<?xi32>
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
