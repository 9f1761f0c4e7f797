// RUN: mlir-opt-22 --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(cube.kernel(specialize{params=N=8}))' %s | FileCheck %s
// RUN: mlir-opt-22 --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(cube.kernel(specialize),phase-optimize,phase-legalize)' %s \
// RUN:   | FileCheck %s --check-prefix=PHASES
// RUN: not mlir-opt-22 --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(cube.kernel(specialize{params=M=8}))' %s 2>&1 | FileCheck %s --check-prefix=ERROR

// Stock mlir-opt with the plugin parses the dialect, runs a Rust pass with an option, and prints the module.
// CHECK-LABEL: cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64)
// CHECK:         arith.constant 8 : i32
// CHECK:         cube.load %x[%{{.*}}] checked

// Phases are pipelines in mlir-opt too, with Cube's passes and upstream passes; Rust code folds 8 / 4.
// PHASES-LABEL: cube.kernel @scale(%x: memref<?xf32>, %y: memref<?xf32>)
// PHASES:         arith.constant 1 : i32
// PHASES-NOT:     cube.load
// PHASES:         memref.load

// ERROR: kernel @scale has no comptime parameter M (declared: N); choose a declared parameter, or add M to comptime(...) [CUBE0301]
cube.kernel @scale comptime(@N : i32 = 4) (%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %n = cube.constant <@N> : i32
  %four = arith.constant 4 : i32
  %i = cube.divui %n, %four : i32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %v, %y[%i] : f32, !cube.array<f32>
  cube.return
}
