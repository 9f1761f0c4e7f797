// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions,vectorize-spmd,canonicalize,cse))' | FileCheck %s

// Two planes of 32 units are interleaved: five steps reduce 32 lanes, and all lanes store the sum.
// CHECK-LABEL: cube.kernel @sums
// CHECK-DAG: %[[FIRST:.*]] = vector.load %x[%c0] : memref<?xf32>, vector<32xf32>
// CHECK-DAG: %[[SECOND:.*]] = vector.load %x[%c32] : memref<?xf32>, vector<32xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: arith.addf %{{.*}} : vector<1xf32>
// CHECK: %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[ALL:.*]] = vector.broadcast %[[SUM]] : f32 to vector<32xf32>
// CHECK: vector.store %[[ALL]], %x[%c0]
// CHECK-NOT: scf.for
cube.kernel @sums(%x: memref<?xf32>) cube_dim(64) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xf32>
  %r = cube.plane_reduce addf %v : f32
  memref.store %r, %x[%i] : memref<?xf32>
  cube.return
}

// The last of two planes has 4 lanes: the mask is a constant, and absent lanes contribute the neutral element.
// CHECK-LABEL: cube.kernel @partial
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<-2147483648> : vector<32xi32>
// CHECK-DAG: %[[THERE:.*]] = arith.constant dense<[true, true, true, true, false,
// CHECK: vector.load %x[%c0] : memref<?xi32>, vector<32xi32>
// CHECK: %[[OWN:.*]] = vector.maskedload %x[%c32], %[[THERE]]
// CHECK: arith.select %[[THERE]], %[[OWN]], %[[LEAST]] : vector<32xi1>, vector<32xi32>
// CHECK: vector.maskedstore %x[%c32], %[[THERE]]
cube.kernel @partial(%x: memref<?xi32>) cube_dim(36) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %r = cube.plane_reduce maxsi %v : i32
  memref.store %r, %x[%i] : memref<?xi32>
  cube.return
}

// Without plane operations, 16 units of a row form a group, and 4 rows are interleaved. A value that depends only on
// the column is loaded once for all rows; a value that depends only on the row is a scalar.
// CHECK-LABEL: cube.kernel @rows
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-1: vector.load %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>, vector<16xf32>
// CHECK-NOT: vector.load
// CHECK: scf.yield
cube.kernel @rows(%x: memref<?xf32>) cube_dim(16, 4) {
  %t = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
  %n = arith.constant 4 : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %ux = cube.topology unit_pos_x
  %x_at = arith.index_castui %ux : i32 to index
  %uy = cube.topology unit_pos_y
  %y_at = arith.index_castui %uy : i32 to index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %t[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  cube.sync cube
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %none) -> (f32) {
    %row = arith.addi %y_at, %k : index
    %a = memref.load %t[%row] : memref<64xf32, #gpu.address_space<workgroup>>
    %col = arith.addi %x_at, %k : index
    %b = memref.load %t[%col] : memref<64xf32, #gpu.address_space<workgroup>>
    %next = math.fma %a, %b, %s : f32
    scf.yield %next : f32
  }
  memref.store %sum, %x[%i] : memref<?xf32>
  cube.return
}

// A 64-bit comparison of the last lane's index decides whether all lanes are in bounds; if not, accesses are masked.
// CHECK-LABEL: cube.kernel @checked
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c31_i64 : i64
// CHECK: %[[ALL:.*]] = arith.cmpi ult, %[[LAST]], %{{.*}} : i64
// CHECK: scf.if %[[ALL]] -> (vector<32xi32>) {
// CHECK:   vector.load
// CHECK: } else {
// CHECK:   vector.gather
// CHECK: cube.return
cube.kernel @checked(%x: memref<?xi32>, %r: memref<?xi32>, %from: i32, %n: i32) cube_dim(32) {
  %none = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %at = arith.addi %u, %from : i32
  %in = arith.cmpi ult, %at, %n : i32
  %v = scf.if %in -> (i32) {
    %i = arith.index_castui %at : i32 to index
    %v = memref.load %x[%i] : memref<?xi32>
    scf.yield %v : i32
  } else {
    scf.yield %none : i32
  }
  %sum = cube.plane_reduce addi %v : i32
  %i = arith.index_castui %u : i32 to index
  memref.store %sum, %r[%i] : memref<?xi32>
  cube.return
}

// Units have different trip counts: the common iterations run without a mask, the others with a mask until the last
// lane has finished.
// CHECK-LABEL: cube.kernel @iterations
// CHECK: %[[MOST:.*]] = vector.reduction <maxui>
// CHECK: %[[LEAST:.*]] = vector.reduction <minui>
// CHECK: %[[SOME:.*]] = scf.for unsigned %{{.*}} = %{{.*}} to %[[LEAST]]
// CHECK: scf.for unsigned %[[TURN:.*]] = %[[LEAST]] to %[[MOST]]
// CHECK:   %[[ON:.*]] = arith.cmpi ult
// CHECK:   arith.select %[[ON]]
cube.kernel @iterations(%x: memref<?xi32>) cube_dim(32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %n = memref.load %x[%i] : memref<?xi32>
  %s = scf.for unsigned %k = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
    %next = arith.addi %s, %k : i32
    scf.yield %next : i32
  }
  %sum = cube.plane_reduce addi %s : i32
  memref.store %sum, %x[%i] : memref<?xi32>
  cube.return
}

// Lanes leave a while loop at different iterations: it runs while a lane is active; each lane keeps its last values.
// CHECK-LABEL: cube.kernel @halves
// CHECK: scf.while (%[[ACTIVE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[KEPT:.*]] = %{{.*}})
// CHECK:   %[[GOES:.*]] = arith.select %[[ACTIVE]], %{{.*}}, %{{.*}} : vector<32xi1>
// CHECK:   %[[ANY:.*]] = vector.reduction <or>, %[[GOES]]
// CHECK:   %[[LAST:.*]] = arith.select %[[ACTIVE]], %{{.*}}, %[[KEPT]]
// CHECK:   scf.condition(%[[ANY]]) %[[GOES]]
cube.kernel @halves(%x: memref<?xi32>) cube_dim(32) {
  %one = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %n = memref.load %x[%i] : memref<?xi32>
  %r = scf.while (%v = %n) : (i32) -> i32 {
    %more = arith.cmpi ugt, %v, %one : i32
    scf.condition(%more) %v : i32
  } do {
  ^bb0(%v: i32):
    %h = arith.shrui %v, %one : i32
    scf.yield %h : i32
  }
  %sum = cube.plane_reduce addi %r : i32
  memref.store %sum, %x[%i] : memref<?xi32>
  cube.return
}

// An atomic becomes a loop over the lanes.
// CHECK-LABEL: cube.kernel @counts
// CHECK: scf.for %[[LANE:.*]] = %c0 to %c32
// CHECK:   vector.extract %{{.*}}[%[[LANE]]]
// CHECK:   cube.atomic_rmw
cube.kernel @counts(%x: memref<?xi32>, %r: memref<?xi32>) cube_dim(32) {
  %one = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %n = memref.load %x[%i] : memref<?xi32>
  %sum = cube.plane_scan inclusive addi %n : i32
  %at = arith.index_castui %sum : i32 to index
  %old = cube.atomic_rmw addi %one, %r[%at] : i32, memref<?xi32>
  cube.return
}

// In each of the four planes, the comparison of the unit's number with 32 is a constant, so the branch is folded.
// CHECK-LABEL: cube.kernel @first_plane
// CHECK-NOT: scf.if
// CHECK:   arith.addi %{{.*}} : vector<16xi32>
cube.kernel @first_plane(%x: memref<?xi32>) cube_dim(128) {
  %lanes = arith.constant 32 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %first = arith.cmpi ult, %u, %lanes : i32
  scf.if %first {
    %sum = cube.plane_reduce addi %v : i32
    memref.store %sum, %x[%i] : memref<?xi32>
  }
  cube.return
}

// Under a divergent branch, inactive lanes contribute the neutral element to a reduction.
// CHECK-LABEL: cube.kernel @divergent
// CHECK-DAG:     %[[NONE:.*]] = arith.constant dense<0> : vector<32xi32>
// CHECK:         vector.reduction <or>, %[[COME:.*]] : vector<32xi1> into i1
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      %[[OWN:.*]] = vector.maskedload
// CHECK-NEXT:      arith.select %[[COME]], %[[OWN]], %[[NONE]] : vector<32xi1>, vector<32xi32>
// CHECK:           vector.extract %{{.*}}[0] : i32 from vector<1xi32>
// CHECK:           vector.maskedstore %{{.*}}, %[[COME]]
cube.kernel @divergent(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %n : i32
  %i = arith.index_castui %u : i32 to index
  scf.if %low {
    %v = memref.load %x[%i] : memref<?xi32>
    %sum = cube.plane_reduce addi %v : i32
    memref.store %sum, %x[%i] : memref<?xi32>
  }
  cube.return
}

// A plane barrier becomes nothing, because the active lanes of a plane execute the same instruction.
// CHECK-LABEL: cube.kernel @divergent_barrier
// CHECK:         vector.maskedstore
// CHECK-NOT:     cube.sync
// CHECK:         vector.gather
cube.kernel @divergent_barrier(%x: memref<?xi32>, %tile: memref<?xi32>, %n: i32) cube_dim(64) {
  %three = arith.constant 3 : i32
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %n : i32
  %i = arith.index_castui %u : i32 to index
  %o = arith.xori %u, %three : i32
  %j = arith.index_castui %o : i32 to index
  scf.if %low {
    memref.store %u, %tile[%i] : memref<?xi32>
    cube.sync plane
    %v = memref.load %tile[%j] : memref<?xi32>
    memref.store %v, %x[%i] : memref<?xi32>
  }
  cube.return
}
