// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(lower-plane-ops-to-nvvm))' | FileCheck %s

// A butterfly reduction begins with the highest bit of the lane number, so that all lanes compute the same bits.
// CHECK-LABEL: cube.kernel @sum
// CHECK:         %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid : i32
// CHECK-NEXT:    %[[BIT:.*]] = arith.constant 16 : i32
// CHECK-NEXT:    %[[FROM:.*]] = arith.xori %[[LANE]], %[[BIT]] : i32
// CHECK-NEXT:    %[[WORD:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:         %[[GOT:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WORD]], %[[FROM]], %{{.*}} : i32 -> i32
// CHECK-NEXT:    %[[OTHER:.*]] = arith.bitcast %[[GOT]] : i32 to f32
// CHECK-NEXT:    arith.addf %{{.*}}, %[[OTHER]] : f32
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
// CHECK-NOT:     arith.select
// CHECK-NOT:     cube.plane
cube.kernel @sum(%x: memref<?xf32>) cube_dim(64) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xf32>
  %r = cube.plane_reduce addf %v : f32
  memref.store %r, %x[%0] : memref<?xf32>
  cube.return
}

// Of 40 units, 8 are in the second plane: absent lanes contribute the neutral element; lane 0 broadcasts the result.
// CHECK-LABEL: cube.kernel @partial
// CHECK:         %[[FIRST:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK:         %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]] : i32
// CHECK:         %[[HERE:.*]] = arith.minui %[[LEFT]], %{{.*}} : i32
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %[[HERE]] : i32
// CHECK-NEXT:    %[[NONE:.*]] = arith.constant 2147483647 : i32
// CHECK-NEXT:    %[[ONE:.*]] = arith.select %[[IS]], %{{.*}}, %[[NONE]] : i32
// CHECK-NEXT:    arith.minsi %{{.*}}, %[[ONE]] : i32
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
cube.kernel @partial(%x: memref<?xi32>) cube_dim(40) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xi32>
  %r = cube.plane_reduce minsi %v : i32
  memref.store %r, %x[%0] : memref<?xi32>
  cube.return
}

// A 64-bit value is shuffled as two words, a line element by element.
// CHECK-LABEL: cube.kernel @wide
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         vector.from_elements %{{.*}}, %{{.*}} : vector<2xf64>
// CHECK:         arith.select
cube.kernel @wide(%x: memref<?xvector<2xf64>>, %lane: i32) cube_dim(32) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xvector<2xf64>>
  %r = cube.plane_broadcast %v, %lane : vector<2xf64>
  memref.store %r, %x[%0] : memref<?xvector<2xf64>>
  cube.return
}

// CHECK-LABEL: cube.kernel @converged
// CHECK:         nvvm.barrier0
// CHECK:         nvvm.barrier0
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.vote.sync ballot
// CHECK:         arith.cmpi ne
// CHECK:         arith.xori
// CHECK:         nvvm.vote.sync ballot
// CHECK:         arith.cmpi eq
// CHECK:         nvvm.vote.sync ballot
// CHECK:         vector.from_elements
cube.kernel @converged(%x: memref<?xvector<4xi32>>, %c: i1) cube_dim(32) {
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

// CHECK-LABEL: cube.kernel @before
// CHECK-COUNT-6: nvvm.shfl.sync
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq
// CHECK-NEXT:    %[[NOTHING:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    arith.select %[[FIRST]], %[[NOTHING]]
cube.kernel @before(%x: memref<?xi32>) cube_dim(32) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xi32>
  %r = cube.plane_scan exclusive addi %v : i32
  memref.store %r, %x[%0] : memref<?xi32>
  cube.return
}

// Under a divergent branch, the mask contains the active lanes, which vote before the branch. Each lane then reads the
// values of all active lanes.
// CHECK-LABEL: cube.kernel @divergent
// CHECK:         %[[MINE:.*]] = arith.cmpi ult
// CHECK-NEXT:    %[[ALL:.*]] = arith.constant -1 : i32
// CHECK-NEXT:    %[[COME:.*]] = nvvm.vote.sync ballot %[[ALL]], %[[MINE]] -> i32
// CHECK-NEXT:    scf.if %[[MINE]]
// CHECK:           arith.andi %[[COME]], %{{.*}} : i32
// CHECK:           nvvm.shfl.sync idx %[[COME]],
// CHECK-COUNT-31:  nvvm.shfl.sync idx %[[COME]],
// CHECK-NOT:       nvvm.shfl.sync
// CHECK-COUNT-31:  arith.addi
// CHECK:           %[[FIRST:.*]] = math.cttz %[[COME]] : i32
// CHECK:           arith.cmpi eq, %{{.*}}, %[[FIRST]] : i32
cube.kernel @divergent(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %0 = arith.constant 0 : index
  %v = memref.load %x[%0] : memref<?xi32>
  %u = cube.topology unit_pos
  %mine = arith.cmpi ult, %u, %n : i32
  scf.if %mine {
    %r = cube.plane_reduce addi %v : i32
    memref.store %r, %x[%0] : memref<?xi32>
    %first = cube.plane_elect
    %i = arith.extui %first : i1 to i32
    memref.store %i, %x[%0] : memref<?xi32>
  }
  cube.return
}

// A loop stores its active mask in a cell: first the entering lanes, then the lanes that vote for another iteration.
// CHECK-LABEL: cube.kernel @iterations
// CHECK:         %[[CELL:.*]] = memref.alloca() : memref<1xi32>
// CHECK:         %[[IN:.*]] = nvvm.vote.sync ballot
// CHECK:         memref.store %[[IN]], %[[CELL]]
// CHECK:         scf.for
// CHECK:           %[[HERE:.*]] = memref.load %[[CELL]]
// CHECK:           nvvm.vote.sync ballot %[[HERE]],
// CHECK:           %[[AGAIN:.*]] = nvvm.vote.sync ballot
// CHECK:           memref.store %[[AGAIN]], %[[CELL]]
cube.kernel @iterations(%x: memref<?xi32>) cube_dim(64) {
  %0 = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %u = cube.topology unit_pos
  scf.for %i = %c0 to %u step %c1 : i32 {
    %odd = arith.trunci %i : i32 to i1
    %b = cube.plane_ballot %odd : vector<4xi32>
    %w = vector.extract %b[0] : i32 from vector<4xi32>
    memref.store %w, %x[%0] : memref<?xi32>
  }
  cube.return
}

// A plane barrier under a branch synchronises the active lanes, with the mask of the vote before the branch.
// CHECK-LABEL: cube.kernel @divergent_barrier
// CHECK:         %[[LOW:.*]] = arith.cmpi ult
// CHECK:         %[[THESE:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[LOW]]
// CHECK:         scf.if %[[LOW]]
// CHECK:           nvvm.bar.warp.sync %[[THESE]]
cube.kernel @divergent_barrier(%tile: memref<?xi32>, %n: i32) cube_dim(64) {
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %n : i32
  %i = arith.index_castui %u : i32 to index
  scf.if %low {
    memref.store %u, %tile[%i] : memref<?xi32>
    cube.sync plane
    memref.store %n, %tile[%i] : memref<?xi32>
  }
  cube.return
}
