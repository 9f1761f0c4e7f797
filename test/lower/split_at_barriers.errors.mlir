// RUN: not cube-opt %s --split-input-file --pass-pipeline='builtin.module(cube.kernel(split-at-barriers))' 2>&1 | FileCheck %s

cube.kernel @half(%x: memref<?xi32>) cube_dim(64) {
  %limit = arith.constant 32 : i32
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %limit : i32
  scf.if %low {
    // CHECK: error: cube.sync is not reached by all units of a cube: the 'scf.if' around it decides differently for them; move it out, or make the decision the same for the cube [CUBE0340]
    cube.sync cube
  }
  cube.return
}

// -----

// Each unit gets a value of its own from an atomic.
cube.kernel @tickets(%x: memref<?xi32>) cube_dim(64) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.atomic_rmw addi %one, %x[%zero] : i32, memref<?xi32>
  scf.for %k = %none to %n step %one : i32 {
    // CHECK: error: cube.sync is not reached by all units of a cube: the 'scf.for'
    cube.sync cube
  }
  cube.return
}

// -----

cube.kernel @region() cube_dim(64) {
  scf.execute_region {
    // The message stands at the region.
    cube.sync cube
    scf.yield
  }
  cube.return
}
// CHECK: error: 'scf.execute_region' cannot stand around a barrier: use scf.if, scf.for or scf.while [CUBE0341]
