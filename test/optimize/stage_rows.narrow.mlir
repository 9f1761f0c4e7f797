// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70})' | sed 's/access_bits = 128/access_bits = 64/' > %t.mlir
// RUN: cube-opt %t.mlir --pass-pipeline='builtin.module(cube.kernel(stage-rows{lanes=32 bytes=128 ahead=false},canonicalize))' | FileCheck %s

// The widest access of the target is 8 bytes, so a lane loads 16 vectors of two elements.
// CHECK: access_bits = 64
// CHECK-LABEL: cube.kernel @sums(
// CHECK-SAME:    %rows_aligned: i32 {cube.derived = "eq(rem(offset(x), 8), 0)"}
// CHECK-NOT:     vector<4xf32>
// CHECK:         scf.for unsigned %{{.*}} = %c0{{.*}} to %c16
// CHECK:         cube.load %x[%{{.*}}] inbounds {align = 8 : i32} : !cube.array<f32> -> vector<2xf32>
// CHECK-NOT:     vector<4xf32>
cube.kernel @sums(%x: !cube.array<f32>, %out: !cube.array<f32>, %rows: i32, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %row = cube.topology absolute_pos
  %inside = arith.cmpi ult, %row, %rows : i32
  scf.if %inside {
    %start = arith.muli %row, %cols : i32
    %sum = scf.for unsigned %i = %zero to %cols step %one iter_args(%s = %none) -> (f32) : i32 {
      %at = arith.addi %start, %i : i32
      %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
      %n = arith.addf %s, %v : f32
      scf.yield %n : f32
    }
    cube.store %sum, %out[%row] checked : f32, !cube.array<f32>
  }
  cube.return
}
