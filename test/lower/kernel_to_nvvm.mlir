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

// LLVM unrolls a loop completely, or not at all.
// CHECK-LABEL: llvm.func @unrolled
// CHECK: scf.for
// CHECK: {loop_annotation = #[[FULL:.*]]}
// CHECK: scf.for
// CHECK: {loop_annotation = #[[NONE:.*]]}
// CHECK-NOT: cube.unroll
cube.kernel @unrolled(%x: memref<?xi32>, %count: i32) cube_dim(16, 4) {
  %n = arith.index_castui %count : i32 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %v = arith.constant 7 : i32
  scf.for %i = %zero to %four step %one {
    memref.store %v, %x[%i] : memref<?xi32>
  } {cube.unroll}
  scf.for %i = %zero to %n step %one {
    memref.store %v, %x[%i] : memref<?xi32>
  } {cube.unroll = 1 : i32}
  cube.return
}
