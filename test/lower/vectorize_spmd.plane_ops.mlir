// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions,vectorize-spmd,canonicalize,cse))' | FileCheck %s

// A vote under a branch applies to the active lanes: inactive lanes vote true for `all` and false for `any`. The first
// arm handles planes whose lanes are all active, without a mask.
// CHECK-LABEL: cube.kernel @votes
// CHECK-DAG: %[[NO:.*]] = arith.constant dense<false> : vector<32xi1>
// CHECK-DAG: %[[YES:.*]] = arith.constant dense<true> : vector<32xi1>
// CHECK: %[[LOW:.*]] = arith.cmpi slt
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[LOW]]
// CHECK: scf.if %[[ALL]] {
// CHECK:   %[[Q:.*]] = arith.cmpi sgt
// CHECK:   vector.reduction <and>, %[[Q]]
// CHECK:   vector.reduction <or>, %[[Q]]
// CHECK: } else {
// CHECK:   %[[SOME:.*]] = vector.reduction <or>, %[[LOW]]
// CHECK:   scf.if %[[SOME]] {
// CHECK:     %[[Q:.*]] = arith.cmpi sgt
// CHECK:     %[[FOR_ALL:.*]] = arith.select %[[LOW]], %[[Q]], %[[YES]]
// CHECK:     vector.reduction <and>, %[[FOR_ALL]]
// CHECK:     %[[FOR_ANY:.*]] = arith.select %[[LOW]], %[[Q]], %[[NO]]
// CHECK:     vector.reduction <or>, %[[FOR_ANY]]
// CHECK:     vector.maskedstore %x[%c0], %[[LOW]]
// CHECK:     vector.maskedstore %y[%c0], %[[LOW]]
cube.kernel @votes(%x: memref<?xi32>, %y: memref<?xi32>, %n: i32) cube_dim(32) {
  %zero = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi slt, %v, %n : i32
  scf.if %p {
    %q = arith.cmpi sgt, %v, %zero : i32
    %all = cube.plane_vote all %q
    %any = cube.plane_vote any %q
    %a = arith.extui %all : i1 to i32
    %b = arith.extui %any : i1 to i32
    memref.store %a, %x[%i] : memref<?xi32>
    memref.store %b, %y[%i] : memref<?xi32>
  }
  cube.return
}

// A reduction under a branch: inactive lanes contribute the neutral element of the operation, 1 for a product.
// CHECK-LABEL: cube.kernel @sums
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : vector<32xi32>
// CHECK: %[[V:.*]] = vector.load %x[%c0]
// CHECK: %[[LOW:.*]] = arith.cmpi slt
// CHECK: } else {
// CHECK: %[[OWN:.*]] = arith.select %[[LOW]], %[[V]], %[[ONE]]
// CHECK: %[[HALF:.*]] = vector.shuffle %[[OWN]], %[[OWN]] [0, 1,
// CHECK: %[[REST:.*]] = vector.shuffle %[[OWN]], %[[OWN]] [16, 17,
// CHECK: arith.muli %[[HALF]], %[[REST]] : vector<16xi32>
// CHECK: vector.maskedstore %x[%c0], %[[LOW]]
cube.kernel @sums(%x: memref<?xi32>, %n: i32) cube_dim(32) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi slt, %v, %n : i32
  scf.if %p {
    %product = cube.plane_reduce muli %v : i32
    memref.store %product, %x[%i] : memref<?xi32>
  }
  cube.return
}

// A broadcast of a constant lane is one element of the vector; an exchange with constant lanes is one permutation.
// CHECK-LABEL: cube.kernel @lanes
// CHECK: %[[V:.*]] = vector.load %x[%c0]
// CHECK: %[[THIRD:.*]] = vector.extract %[[V]][3]
// CHECK: %[[OTHERS:.*]] = vector.shuffle %[[V]], %[[V]] [3, 2, 1, 0, 7, 6, 5, 4, 11,
// CHECK: %[[ALL:.*]] = vector.broadcast %[[THIRD]]
// CHECK: vector.store %[[ALL]], %x[%c0]
// CHECK: vector.store %[[OTHERS]], %y[%c0]
cube.kernel @lanes(%x: memref<?xi32>, %y: memref<?xi32>) cube_dim(32) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %l = arith.constant 3 : i32
  %b = cube.plane_broadcast %v, %l : i32
  %s = cube.plane_shuffle xor %v, %l : i32
  memref.store %b, %x[%i] : memref<?xi32>
  memref.store %s, %y[%i] : memref<?xi32>
  cube.return
}

// The elected lane is the first active lane: lane 0 if all lanes are active, otherwise the lowest bit of the mask.
// CHECK-LABEL: cube.kernel @first
// CHECK-DAG: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, {{.*}}, 31]> : vector<32xi32>
// CHECK-DAG: %[[ZEROTH:.*]] = arith.constant dense<[true, false, {{.*}}false]>
// CHECK: %[[LOW:.*]] = arith.cmpi slt
// CHECK: vector.maskedstore %x[%c0], %[[ZEROTH]]
// CHECK: } else {
// CHECK: %[[LOWEST:.*]] = math.cttz
// CHECK: %[[LANE:.*]] = arith.minui %[[LOWEST]], %c31_i32
// CHECK: %[[AT:.*]] = vector.broadcast %[[LANE]]
// CHECK: %[[ME:.*]] = arith.cmpi eq, %[[AT]], %[[LANES]]
// CHECK: %[[BOTH:.*]] = arith.select %[[LOW]], %[[ME]]
// CHECK: vector.maskedstore %x[%c0], %[[BOTH]]
cube.kernel @first(%x: memref<?xi32>, %n: i32) cube_dim(32) {
  %u = cube.topology unit_pos
  %i = arith.index_castui %u : i32 to index
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi slt, %v, %n : i32
  scf.if %p {
    %me = cube.plane_elect
    scf.if %me {
      memref.store %n, %x[%i] : memref<?xi32>
    }
  }
  cube.return
}
