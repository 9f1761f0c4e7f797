// RUN: not cube-opt %s --split-input-file --pass-pipeline='builtin.module(cube.kernel(split-barrier-regions))' 2>&1 | FileCheck %s

cube.kernel @half(%x: memref<?xi32>) cube_dim(64) {
  %limit = arith.constant 32 : i32
  %u = cube.topology unit_pos
  %low = arith.cmpi ult, %u, %limit : i32
  scf.if %low {
    // CHECK: error: cube.sync is not reached by all units of a cube: the enclosing 'scf.if' diverges; move the barrier out of the 'scf.if', or make the condition uniform in the cube [CUBE0340]
    cube.sync cube
  }
  cube.return
}

// -----

// An atomic returns a different value to each unit, so the trip count of the loop varies.
cube.kernel @tickets(%x: memref<?xi32>) cube_dim(64) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.atomic_rmw addi %one, %x[%zero] : i32, memref<?xi32>
  scf.for %k = %none to %n step %one : i32 {
    // CHECK: error: cube.sync is not reached by all units of a cube: the enclosing 'scf.for'
    cube.sync cube
  }
  cube.return
}

// -----

cube.kernel @region() cube_dim(64) {
  scf.execute_region {
    // The error is reported at the region.
    cube.sync cube
    scf.yield
  }
  cube.return
}
// CHECK: error: 'scf.execute_region' cannot enclose a barrier or plane operation; use scf.if, scf.index_switch, scf.for or scf.while [CUBE0341]

// -----

// A vector store writes a varying value to local memory, so the loaded trip count varies.
cube.kernel @stored_as_a_vector() cube_dim(64) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %own = memref.alloca() : memref<4xi32>
  %u = cube.topology unit_pos
  %v = vector.broadcast %u : i32 to vector<4xi32>
  vector.store %v, %own[%zero] : memref<4xi32>, vector<4xi32>
  %n = memref.load %own[%zero] : memref<4xi32>
  scf.for %k = %none to %n step %one : i32 {
    // CHECK: error: cube.sync is not reached by all units of a cube: the enclosing 'scf.for'
    cube.sync cube
  }
  cube.return
}

// -----

// A masked store and a scatter write varying values to local memory too.
cube.kernel @scattered(%x: memref<?xi32>) cube_dim(64) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %all = arith.constant dense<true> : vector<4xi1>
  %own = memref.alloca() : memref<4xi32>
  %u = cube.topology unit_pos
  %v = vector.broadcast %u : i32 to vector<4xi32>
  vector.scatter %own[%zero] [%at], %all, %v : memref<4xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32>
  %n = memref.load %own[%zero] : memref<4xi32>
  scf.for %k = %none to %n step %one : i32 {
    // CHECK: error: cube.sync is not reached by all units of a cube: the enclosing 'scf.for'
    cube.sync cube
  }
  cube.return
}

// -----

// A two-dimensional vector is neither a number nor a line, so memory cannot keep it across the barrier.
cube.kernel @tile(%x: memref<?xf32>) cube_dim(64) {
  %i = arith.constant 0 : index
  %n = memref.load %x[%i] : memref<?xf32>
  // CHECK: error: type vector<2x4xf32> is not allowed at level legal; use numbers, and vectors of one dimension and a fixed size [CUBE0332]
  %v = vector.broadcast %n : f32 to vector<2x4xf32>
  cube.sync cube
  %p = vector.extract %v[1, 2] : f32 from vector<2x4xf32>
  memref.store %p, %x[%i] : memref<?xf32>
  cube.return
}
