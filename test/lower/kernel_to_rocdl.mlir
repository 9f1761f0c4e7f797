// RUN: cube-opt %s --attach-target=target=amdgpu --kernel-to-rocdl | FileCheck %s

// A buffer is passed as a pointer to global memory and a length. The hidden arguments begin with the cube counts.
// CHECK: llvm.func @k(%[[X:.*]]: !llvm.ptr<1>, %[[LEN:.*]]: i64, %[[A:.*]]: i32) attributes {cube.arguments = ["x", "x_len", "a"], rocdl.flat_work_group_size = "64,64", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 16, 4, 1>}
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[0] : !llvm.struct<(ptr<1>, ptr<1>,
// CHECK: llvm.insertvalue %[[LEN]], %{{.*}}[3, 0]
// CHECK: %[[HIDDEN:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK: %[[WORD:.*]] = llvm.getelementptr %[[HIDDEN]][8] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i8
// CHECK: llvm.load %[[WORD]] {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK-DAG: rocdl.workitem.id.x : i32
// CHECK-DAG: rocdl.workgroup.id.x : i32
// CHECK-NOT: rocdl.grid
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

// Saturating sums become intrinsics, which the chip computes with the modifier `clamp`.
// CHECK: llvm.func @saturating(
// CHECK: %[[A:.*]] = llvm.intr.sadd.sat(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
// CHECK: %[[B:.*]] = llvm.intr.uadd.sat(%[[A]], %{{.*}}) : (i32, i32) -> i32
// CHECK: %[[C:.*]] = llvm.intr.ssub.sat(%[[B]], %{{.*}}) : (i32, i32) -> i32
// CHECK: llvm.intr.usub.sat(%[[C]], %{{.*}}) : (i32, i32) -> i32
cube.kernel @saturating(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %u = cube.topology unit_pos_x
  %i = arith.index_castui %u : i32 to index
  %a = cube.addsi_sat %u, %n : i32
  %b = cube.addui_sat %a, %n : i32
  %c = cube.subsi_sat %b, %n : i32
  %d = cube.subui_sat %c, %n : i32
  memref.store %d, %x[%i] : memref<?xi32>
  cube.return
}
