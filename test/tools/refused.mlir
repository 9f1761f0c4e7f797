// Errors that occur only for certain targets, and requests that cube-run and cube-docs reject.
// RUN: split-file %s %t
// The first x86-64 processors have no fused multiply-add: it is expanded to integer operations.
// RUN: cubec %t/fma.mlir --target cpu:x86-64 -o %t/out
// RUN: cubec %t/fma.mlir --target cpu:x86-64-v3 -o %t/out
// RUN: not cubec %t/largest.mlir --target wgsl -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=NOCODE
// NOCODE: largest.mlir:3:{{[0-9]+}}: error[CUBE0412]: 'cube.plane_reduce' is not supported on target wgsl: the description of the chip lists no reductions of planes; compile for another target
// RUN: test ! -e %t/out.ptx
// RUN: not cube-opt %t/fma.mlir --diff --pass-pipeline='builtin.module(cube.kernel(specialise))' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error[CUBE0200]: the pass pipeline is invalid: 'specialise' does not refer to a registered pass or pass pipeline; run cube-opt --help to list all passes; did you mean specialize?

// RUN: not cube-run %t/fma.mlir --arg z=zeros:4 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error[CUBE0608]: kernel fma has no parameter z
// RUN: not cube-run %t/fma.mlir --backend hop --arg x=zeros:4 2>&1 | FileCheck %s --check-prefix=BACKEND
// BACKEND: error[CUBE0610]
// RUN: cube-run %t/fma.mlir --arg x=ones:4 --out x=%t/ones.npy
// RUN: not cube-run %t/fma.mlir --arg x=zeros:4 --check x=%t/ones.npy 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: error[CUBE0609]

// RUN: mkdir -p %t/dialects/cube && cp -r %S/../../dialects/cube/examples %t/dialects/cube && cd %t && not cube docs --check 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STALE
// STALE: error[CUBE0611]: docs/reference/dialect.md:1 is out of date; run `cube docs`

//--- fma.mlir
cube.kernel @fma(%x: !cube.array<f32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = math.fma %v, %v, %v : f32
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  cube.return
}
//--- largest.mlir
cube.kernel @largest(%x: !cube.array<f32>, %y: !cube.array<f32>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.plane_reduce maxf %v : f32
  cube.store %w, %y[%i] : f32, !cube.array<f32>
  cube.return
}
