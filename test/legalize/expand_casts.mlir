// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-casts))' | FileCheck %s

// f64 to f16 first rounds to odd in f32: to nearest, then, if inexact, to the neighbour towards zero with its last bit
// set. Other conversions have instructions and are kept.
// CHECK-LABEL: @casts
// CHECK: %[[D:.*]] = cube.load
// CHECK: %[[NEAR:.*]] = arith.truncf %[[D]] : f64 to f32
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAR]] : f32 to f64
// CHECK: %[[INEXACT:.*]] = arith.cmpf one, %[[BACK]], %[[D]] : f64
// CHECK: %[[AWAY:.*]] = arith.cmpf ogt
// CHECK: %[[BITS:.*]] = arith.bitcast %[[NEAR]] : f32 to i32
// CHECK: %[[DOWN:.*]] = arith.subi %[[BITS]]
// CHECK: %[[TOWARDS:.*]] = arith.select %[[AWAY]], %[[DOWN]], %[[BITS]]
// CHECK: %[[ODD:.*]] = arith.ori %[[TOWARDS]]
// CHECK: %[[CHOSEN:.*]] = arith.select %[[INEXACT]], %[[ODD]], %[[BITS]]
// CHECK: %[[SINGLE:.*]] = arith.bitcast %[[CHOSEN]] : i32 to f32
// CHECK: arith.truncf %[[SINGLE]] : f32 to f16
// CHECK: arith.truncf %[[D]] : f64 to f32
cube.kernel @casts(%x: !cube.array<f64>, %h: !cube.array<f16>, %s: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f64> -> f64
  %a = arith.truncf %v : f64 to f16
  %b = arith.truncf %v : f64 to f32
  cube.store %a, %h[%i] checked : f16, !cube.array<f16>
  cube.store %b, %s[%i] checked : f32, !cube.array<f32>
  cube.return
}

// A conversion to i1 goes through i32, because LLVM's NVPTX backend would compare the float with zero instead.
// CHECK-LABEL: @bools
// CHECK: %[[V:.*]] = cube.load
// CHECK: %[[S:.*]] = arith.fptosi %[[V]] : vector<4xf32> to vector<4xi32>
// CHECK: arith.trunci %[[S]] : vector<4xi32> to vector<4xi1>
// CHECK: %[[U:.*]] = arith.fptoui %[[V]] : vector<4xf32> to vector<4xi32>
// CHECK: arith.trunci %[[U]] : vector<4xi32> to vector<4xi1>
// CHECK: arith.fptosi %[[V]] : vector<4xf32> to vector<4xi8>
cube.kernel @bools(%x: !cube.array<f32, 4>, %r: !cube.array<i1, 4>, %b: !cube.array<i8, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>
  %s = arith.fptosi %v : vector<4xf32> to vector<4xi1>
  %u = arith.fptoui %v : vector<4xf32> to vector<4xi1>
  %n = arith.fptosi %v : vector<4xf32> to vector<4xi8>
  cube.store %s, %r[%i] checked : vector<4xi1>, !cube.array<i1, 4>
  cube.store %u, %r[%i] checked : vector<4xi1>, !cube.array<i1, 4>
  cube.store %n, %b[%i] checked : vector<4xi8>, !cube.array<i8, 4>
  cube.return
}
