// RUN: not cube-opt %s --split-input-file --pass-pipeline='builtin.module(cube.kernel(planes-to-vectors))' 2>&1 | FileCheck %s

cube.kernel @parted(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %n : i32
  scf.if %low {
    // CHECK: error: cube.sync is not reached by all units of a plane: the 'scf.if' around it decides differently for them; move it out, or make the decision the same for the plane [CUBE0340]
    cube.sync plane
    %me = cube.plane_elect
    %i = arith.index_castui %u : i32 to index
    %v = arith.extui %me : i1 to i32
    memref.store %v, %x[%i] : memref<?xi32>
  }
  cube.return
}

// -----

// The branch gives a value: the mistake is told once, and nothing else.
cube.kernel @given(%x: memref<?xi32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %n : i32
  %v = scf.if %low -> i32 {
    // CHECK: error: cube.sync is not reached by all units of a plane
    // CHECK-NOT: error: pass
    cube.sync plane
    %sum = cube.plane_reduce addi %u : i32
    scf.yield %sum : i32
  } else {
    scf.yield %zero : i32
  }
  %i = arith.index_castui %u : i32 to index
  memref.store %v, %x[%i] : memref<?xi32>
  cube.return
}
