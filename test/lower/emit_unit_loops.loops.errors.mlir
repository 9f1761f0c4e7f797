// RUN: cube-opt %s --emit-unit-loops --verify-diagnostics --split-input-file
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(vectorize-spmd))' --verify-diagnostics --split-input-file

// A pass has copied the loop and dropped its mapping.
cube.kernel @dropped(%x: memref<?xi32>, %v: i32) cube_dim(64) {
  // expected-error@+1 CUBE0398 {op = "scf.forall", rule = "it has no mapping to units"}
  scf.forall (%u) in (64) {
    memref.store %v, %x[%u] : memref<?xi32>
  }
  cube.return
}

// -----

// A pass has copied the mapping to another loop.
cube.kernel @copied(%x: memref<?xi32>, %v: i32) cube_dim(64) {
  // expected-error@+1 CUBE0398 {op = "scf.forall", rule = "it does not count the units of the cube once"}
  scf.forall (%u) in (32) {
    memref.store %v, %x[%u] : memref<?xi32>
  } {mapping = [#gpu.thread<x>]}
  cube.return
}

// -----

// A pass has moved a loop into another loop over the same axis.
cube.kernel @nested(%x: memref<?xi32>, %v: i32) cube_dim(64) {
  scf.forall (%u) in (64) {
    // expected-error@+1 CUBE0398 {op = "scf.forall", rule = "it does not count the units of the cube once"}
    scf.forall (%w) in (64) {
      memref.store %v, %x[%w] : memref<?xi32>
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.thread<x>]}
  cube.return
}

// -----

// A pass has split a loop: one half does not count from 0.
cube.kernel @half(%x: memref<?xi32>, %v: i32) cube_dim(64) {
  // expected-error@+1 CUBE0398 {op = "scf.forall", rule = "its bounds are not those of a cube"}
  scf.forall (%u) = (32) to (64) step (1) {
    memref.store %v, %x[%u] : memref<?xi32>
  } {mapping = [#gpu.thread<x>]}
  cube.return
}

// -----

// A pass has moved the position of a unit out of its loop, where units have no position.
cube.kernel @moved(%x: memref<?xi32>) cube_dim(64) {
  // expected-error@+1 CUBE0398 {op = "cube.topology", rule = "the loop over this position is missing"}
  %i = cube.topology unit_pos
  scf.forall (%u) in (64) {
    memref.store %i, %x[%u] : memref<?xi32>
  } {mapping = [#gpu.thread<x>]}
  cube.return
}
