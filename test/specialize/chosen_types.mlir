// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=T=i16}))' --split-input-file | FileCheck %s --check-prefixes=CHECK,INT
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=T=bf16}))' --split-input-file | FileCheck %s --check-prefixes=CHECK,FLOAT
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=T=vector<4xf16>,B=vector<4xi1>}))' --split-input-file | FileCheck %s --check-prefixes=CHECK,LINE

// A type parameter can be an integer type: constants that are written as floats become integers, and `cube.generic`
// becomes the integer operation. With a line type, buffers of the parameter's type become buffers of lines.
// CHECK-LABEL: cube.kernel @generic
// INT-SAME:    (%x: !cube.array<i16>, %s: !cube.tensor<i16>)
// INT:         arith.constant -3 : i16
// INT:         %[[V:.*]] = cube.load %x[%{{.*}}] checked : !cube.array<i16> -> i16
// INT:         %[[S:.*]] = arith.addi %[[V]], %{{.*}} overflow<nsw> : i16
// INT:         %[[LESS:.*]] = arith.cmpi slt, %[[S]], %[[V]] : i16
// INT:         arith.select %[[LESS]], %[[S]], %[[V]] : i16
// FLOAT-SAME:  (%x: !cube.array<bf16>, %s: !cube.tensor<bf16>)
// FLOAT:       arith.constant -3.000000e+00 : bf16
// FLOAT:       arith.addf %{{.*}}, %{{.*}} : bf16
// FLOAT:       arith.cmpf olt, %{{.*}}, %{{.*}} : bf16
// LINE-SAME:   (%x: !cube.array<f16, 4>, %s: !cube.tensor<f16, 4>)
// LINE:        arith.constant dense<-3.000000e+00> : vector<4xf16>
// LINE:        cube.alloc : !cube.local<2 x f16, 4>
// LINE:        cube.load %x[%{{.*}}] checked : !cube.array<f16, 4> -> vector<4xf16>
// LINE:        arith.addf %{{.*}}, %{{.*}} : vector<4xf16>
// LINE:        arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf16>
// CHECK-NOT:   cube.generic
// CHECK-NOT:   cube.param
cube.kernel @generic comptime(@T : type = f32, @B : type = i1)(%x: !cube.array<!cube.param<@T>>, %s: !cube.tensor<!cube.param<@T>>) {
  %i = cube.topology absolute_pos
  %three = arith.constant -3.0 : !cube.param<@T>
  %own = cube.alloc : !cube.local<2 x !cube.param<@T>>
  %v = cube.load %x[%i] : !cube.array<!cube.param<@T>> -> !cube.param<@T>
  %sum = cube.generic float "arith.addf" int "arith.addi" with {overflowFlags = #arith.overflow<nsw>}(%v, %three)
    : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  %less = cube.generic float "arith.cmpf" with {predicate = 4 : i64} int "arith.cmpi" with {predicate = 2 : i64}(%sum, %v)
    : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@B>
  %r = cube.generic float "arith.select" int "arith.select"(%less, %sum, %v)
    : (!cube.param<@B>, !cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  cube.store %r, %own[%i] : !cube.param<@T>, !cube.local<2 x !cube.param<@T>>
  cube.store %r, %s[%i] : !cube.param<@T>, !cube.tensor<!cube.param<@T>>
  cube.return
}
