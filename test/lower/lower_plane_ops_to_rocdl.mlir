// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx942},cube.kernel(lower-plane-ops-to-rocdl))' | FileCheck %s --check-prefixes=CHECK,WAVE64
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx1100},cube.kernel(lower-plane-ops-to-rocdl))' | FileCheck %s --check-prefixes=CHECK,WAVE32
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx1100-wave64},cube.kernel(lower-plane-ops-to-rocdl))' | FileCheck %s --check-prefixes=HALVES
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx1030-wave64},cube.kernel(lower-plane-ops-to-rocdl))' | FileCheck %s --check-prefixes=TURNS
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx1200-wave64},cube.kernel(lower-plane-ops-to-rocdl))' | FileCheck %s --check-prefixes=WIDE

// A reduction begins with the highest bit of the lane number, so that all lanes compute the same bits. DPP exchanges
// words in rows of 16 lanes: lane ^ 8 is a rotation, lane ^ 2 and lane ^ 1 are permutations of a quad.
// CHECK-LABEL:   cube.kernel @sum
// WAVE64:        rocdl.mbcnt.hi
// WAVE64:        rocdl.ds_bpermute
// WAVE64:        arith.addf
// WAVE64:        rocdl.ds_bpermute
// WAVE64-NOT:    rocdl.permlanex16
// WAVE32-NOT:    rocdl.mbcnt.hi
// WAVE32-NOT:    rocdl.ds_bpermute
// WAVE32:        rocdl.permlanex16
// CHECK:         rocdl.update.dpp %{{.*}}, %{{.*}} with 296, 15, 15, true : i32
// WAVE64:        rocdl.ds_bpermute
// WAVE32:        rocdl.update.dpp %{{.*}}, %{{.*}} with 356, 15, 15, true : i32
// CHECK:         rocdl.update.dpp %{{.*}}, %{{.*}} with 78, 15, 15, true : i32
// CHECK:         rocdl.update.dpp %{{.*}}, %{{.*}} with 177, 15, 15, true : i32
// CHECK-NOT:     arith.select
// CHECK-NOT:     cube.plane

// RDNA executes a wave of 64 as two halves; an instruction or a loop over lanes exchanges words between the halves.
// HALVES-LABEL:  cube.kernel @sum
// HALVES:        llvm.call_intrinsic "llvm.amdgcn.permlane64"
// HALVES:        rocdl.permlanex16
// HALVES-NOT:    rocdl.ds_bpermute
// HALVES-COUNT-4: rocdl.update.dpp
// TURNS-LABEL:   cube.kernel @sum
// TURNS-COUNT-64: rocdl.readlane
// TURNS-NOT:     rocdl.readlane
// TURNS:         rocdl.permlanex16
cube.kernel @sum(%x: memref<?xf32>) cube_dim(64) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xf32>
  %r = cube.plane_reduce addf %v : f32
  memref.store %r, %x[%0] : memref<?xf32>
  cube.return
}

// RDNA 4 reads a lane of either half by one instruction. RDNA 3 reads it with all lanes, also those that do not execute.
// CHECK-LABEL:   cube.kernel @far
// HALVES-LABEL:  cube.kernel @far
// HALVES:        llvm.call_intrinsic "llvm.amdgcn.wave.shuffle"
// HALVES-NOT:    rocdl.ds_bpermute
// TURNS-LABEL:   cube.kernel @far
// TURNS-COUNT-64: rocdl.readlane
// TURNS-NOT:     rocdl.ds_bpermute
// WIDE-LABEL:    cube.kernel @far
// WIDE:          rocdl.ds_bpermute
// WIDE-NOT:      llvm.call_intrinsic
// WIDE-NOT:      rocdl.readlane
// WIDE-NOT:      rocdl.ds_bpermute
// WIDE-LABEL:    cube.kernel @wide
// HALVES-LABEL:  cube.kernel @wide
// TURNS-LABEL:   cube.kernel @wide
cube.kernel @far(%x: memref<?xi32>, %lane: memref<?xi32>) cube_dim(64) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xi32>
  %from = memref.load %lane[%0] : memref<?xi32>
  %r = cube.plane_shuffle idx %v, %from : i32
  memref.store %r, %x[%0] : memref<?xi32>
  cube.return
}

// A 64-bit value is two words. The source lane of a broadcast is uniform; if it is invalid, each lane keeps its value.
// CHECK-LABEL:   cube.kernel @wide
// CHECK-COUNT-2: rocdl.readlane
// CHECK-NOT:     rocdl.readlane
// WAVE64:        %[[ALL:.*]] = arith.constant 64 : i32
// WAVE32:        %[[ALL:.*]] = arith.constant 32 : i32
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %[[ALL]] : i32
// CHECK:         arith.select %[[IS]]
cube.kernel @wide(%x: memref<?xf64>, %lane: i32) cube_dim(64) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xf64>
  %r = cube.plane_broadcast %v, %lane : f64
  memref.store %r, %x[%0] : memref<?xf64>
  cube.return
}

// CHECK-LABEL:   cube.kernel @converged
// CHECK:         llvm.fence syncscope("workgroup") release
// CHECK:         rocdl.s.barrier
// CHECK:         llvm.fence syncscope("workgroup") acquire
// CHECK:         rocdl.s.barrier
// CHECK:         llvm.fence syncscope("wavefront") acq_rel
// CHECK:         llvm.call_intrinsic "llvm.amdgcn.wave.barrier"
// WAVE64:        rocdl.ballot %{{.*}} : i64
// WAVE64:        %[[BITS:.*]] = rocdl.ballot %{{.*}} : i64
// WAVE64:        %[[BITS:.*]] = rocdl.ballot %{{.*}} : i64
// WAVE64:        %[[UP:.*]] = arith.shrui %[[BITS]]
// WAVE64:        %[[LOW:.*]] = arith.trunci %[[BITS]] : i64 to i32
// WAVE64:        %[[HIGH:.*]] = arith.trunci %[[UP]] : i64 to i32
// WAVE64:        vector.from_elements %[[LOW]], %[[HIGH]], %[[ZERO:.*]], %[[ZERO]] : vector<4xi32>
// WAVE32:        %[[BITS:.*]] = rocdl.ballot %{{.*}} : i32
// WAVE32:        %[[BITS:.*]] = rocdl.ballot %{{.*}} : i32
// WAVE32:        %[[BITS:.*]] = rocdl.ballot %{{.*}} : i32
// WAVE32:        vector.from_elements %[[BITS]], %[[ZERO:.*]], %[[ZERO]], %[[ZERO]] : vector<4xi32>
cube.kernel @converged(%x: memref<?xvector<4xi32>>, %c: i1) cube_dim(64) {
  cube.sync cube
  cube.sync storage
  cube.sync plane
  %any = cube.plane_vote any %c
  %all = cube.plane_vote all %c
  %both = arith.andi %any, %all : i1
  %bits = cube.plane_ballot %both : vector<4xi32>
  %0 = arith.constant 0 : index
  %me = cube.plane_elect
  scf.if %me {
    memref.store %bits, %x[%0] : memref<?xvector<4xi32>>
  }
  cube.return
}

// Under a divergent branch, the executing lanes are the active lanes; each lane reads the values of all active lanes.
// CHECK-LABEL:   cube.kernel @divergent
// CHECK:         scf.if
// CHECK-NEXT:      %[[YES:.*]] = arith.constant true
// WAVE64-NEXT:     %[[ACTIVE:.*]] = rocdl.ballot %[[YES]] : i64
// WAVE64-COUNT-64: rocdl.readlane
// WAVE32-NEXT:     %[[ACTIVE:.*]] = rocdl.ballot %[[YES]] : i32
// WAVE32-COUNT-32: rocdl.readlane
// CHECK-NOT:       rocdl.readlane
cube.kernel @divergent(%x: memref<?xi32>) cube_dim(64) {
  %0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %bit = arith.andi %u, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  scf.if %odd {
    %r = cube.plane_reduce addi %u : i32
    memref.store %r, %x[%0] : memref<?xi32>
  }
  cube.return
}
