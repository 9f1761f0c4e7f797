// The number of elements of a unit is halved until the values of a unit fit into its registers.

// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen{bits=128 registers=24}))' --cube-remarks | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen{bits=128 registers=24}))' --cube-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen{bits=128}))' | FileCheck %s --check-prefix=ALL
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen{bits=128 registers=12}))' --cube-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: cube.kernel @sum_of_four(
// CHECK:         cube.load %x[%{{.*}}] inbounds {align = 8 : i32} : !cube.array<f32> -> vector<2xf32>
// SAID: analysis [coarsen:registers] each unit computes 2 elements instead of 4, because 4 elements need about {{[0-9]+}} registers, and a unit has 24
// SAID: passed [coarsen:coarsen] each unit computes 2 neighbouring elements
// ALL:           cube.load %x[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// NONE: missed [coarsen:registers] each unit keeps one element, because the values of two elements exceed the registers of a unit
cube.kernel @sum_of_four(%x: !cube.array<f32>, %y: !cube.array<f32>, %z: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %b = cube.load %y[%i] checked : !cube.array<f32> -> f32
  %c = cube.load %z[%i] checked : !cube.array<f32> -> f32
  %d = cube.load %out[%i] checked : !cube.array<f32> -> f32
  %s = arith.addf %a, %b : f32
  %t = arith.addf %c, %d : f32
  %r = arith.addf %s, %t : f32
  cube.store %r, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}
