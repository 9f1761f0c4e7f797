// RUN: cube-opt %s --attach-target=target=nvptx --kernel-to-nvvm | FileCheck %s

// A buffer is passed as a pointer to global memory and a length. Cube counts are read from registers.
// CHECK: llvm.func @k(%[[X:.*]]: !llvm.ptr<1>, %[[LEN:.*]]: i64, %[[A:.*]]: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>}
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[0] : !llvm.struct<(ptr<1>, ptr<1>,
// CHECK: llvm.insertvalue %[[LEN]], %{{.*}}[3, 0]
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x : i32
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG: nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK: memref.store
// CHECK: llvm.return
// CHECK-NOT: cube.
cube.kernel @k(%x: memref<?xi32>, %a: i32) cube_dim(16, 4) {
  %u = cube.topology unit_pos_x
  %c = cube.topology cube_pos_x
  %n = cube.topology cube_count_x
  %s = arith.addi %u, %c : i32
  %t = arith.addi %s, %n : i32
  %i = arith.index_castui %t : i32 to index
  memref.store %a, %x[%i] : memref<?xi32>
  cube.return
}
