// RUN: cube-opt %s --cube-remarks --pass-pipeline='builtin.module(cube.kernel(expand-casts,expand-integers))' 2>&1 | FileCheck %s

// CHECK: remarks.mlir:[[#@LINE+8]]:8: remark: rule truncf: no match, because the conversion is an instruction everywhere
// CHECK: remarks.mlir:[[#@LINE+8]]:8: remark: rule divui: applied
cube.kernel @k(%x: !cube.array<f64>, %y: !cube.array<f32>, %z: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f64> -> f64
  %n = cube.load %z[%i] checked : !cube.array<i32> -> i32

  // The places of the two remarks.
  %a = arith.truncf %v : f64 to f32
  %b = cube.divui %n, %i : i32
  cube.store %a, %y[%i] checked : f32, !cube.array<f32>
  cube.store %b, %z[%i] checked : i32, !cube.array<i32>
  cube.return
}
