// The tool rejects passes whose levels are in an impossible order before it reads the input.
// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(buffers-to-memref,expand-checks))' 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: not cube-opt %s --buffers-to-memref --expand-checks 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: not cube-opt %s --phase-legalize --phase-optimize 2>&1 | FileCheck %s --check-prefix=PHASES
// RUN: not cube-opt %t.missing.mlir --diff --buffers-to-memref --cse --specialize 2>&1 | FileCheck %s --check-prefix=SPECIALIZE
// RUN: not cube-opt %s --attach-target=target=cpu --emit-unit-loops --expand-integers 2>&1 | FileCheck %s --check-prefix=DEVICE

// Separate runs are accepted: the level of an input is unknown before the pass.
// RUN: cube-opt %s --expand-checks --buffers-to-memref | cube-opt --expand-checks -o /dev/null
// An order that is possible for some input is accepted too: this kernel already has level flat.
// RUN: cube-opt %s --specialize --expand-checks --structured-mem2reg --buffers-to-memref -o /dev/null
// RUN: cube-opt --explain CUBE0362 | FileCheck %s --check-prefix=EXPLAIN

// CHECKS: error[CUBE0362]: the pass pipeline is invalid: pass expand-checks requires level flat, but the preceding pass buffers-to-memref produces level legal; put expand-checks before buffers-to-memref
// PHASES: error[CUBE0362]: the pass pipeline is invalid: pass loop-cubes requires level flat, but the preceding pass buffers-to-memref produces level legal; put loop-cubes before buffers-to-memref
// SPECIALIZE: error[CUBE0362]: the pass pipeline is invalid: pass specialize requires level source, but the preceding pass buffers-to-memref
// DEVICE: pass expand-integers requires level flat, but the preceding pass emit-unit-loops produces level device; put expand-integers before emit-unit-loops
// EXPLAIN: CUBE0362: passes in the wrong order

cube.kernel @k(%x: !cube.array<f32>, %i: i32) cube_dim(4) {
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}
