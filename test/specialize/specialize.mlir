// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=N=8,F=f16}))' --split-input-file | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize))' --split-input-file \
// RUN:   | FileCheck %s --check-prefix=DEFAULT
// RUN: cube-opt %s --compile-to=specialize --params=N=8,F=f16 --cube-stats --split-input-file 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=STATS

// A parameter's value comes from the option, otherwise from the default; the declaration is removed.
// CHECK-LABEL: cube.kernel @values(%x: !cube.array<i32>) cube_dim(64)
// CHECK-NEXT: %[[N:.*]] = arith.constant 8 : i32
// CHECK-NEXT: cube.store %[[N]], %x[%[[N]]] checked : i32, !cube.array<i32>
// DEFAULT-LABEL: cube.kernel @values(
// DEFAULT-NEXT: arith.constant 4 : i32
cube.kernel @values comptime(@N : i32 = 4, @F : type = f32)(%x: !cube.array<i32>) cube_dim(64) {
  %n = cube.constant <@N> : i32
  cube.store %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// -----

// A type parameter is replaced in all types: arguments, results, vectors, loops; constants are rounded once.
// CHECK-LABEL: cube.kernel @types(%x: !cube.array<f16>, %y: !cube.array<f16, 4>, %s: f16) cube_dim(1)
// CHECK-DAG: arith.constant 3.000490e-01 : f16
// CHECK-DAG: arith.constant dense<[1.000000e+00, 9.997550e-02, 0x7C00, 0.000000e+00]> : vector<4xf16>
// CHECK-DAG: arith.constant dense<2.000000e+00> : vector<4xf16>
// CHECK: cube.load %y[%{{.*}}] checked : !cube.array<f16, 4> -> vector<4xf16>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %s) -> (f16)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f16
// CHECK-NOT: cube.param
// DEFAULT-LABEL: cube.kernel @types(%x: !cube.array<f32>
// DEFAULT-DAG: arith.constant 3.000000e-01 : f32
// DEFAULT-DAG: arith.constant dense<[1.000000e+00, 1.000000e-01, 0x7F800000, 0.000000e+00]> : vector<4xf32>
cube.kernel @types comptime(@F : type = f32, @N : i32 = 1)(%x: !cube.array<!cube.param<@F>>, %y: !cube.array<!cube.param<@F>, 4>, %s: !cube.param<@F>) {
  %i = cube.topology absolute_pos
  %third = arith.constant 0.3 : !cube.param<@F>
  %lanes = arith.constant dense<[1.0, 0.1, 1.0e+300, 1.0e-300]> : vector<4x!cube.param<@F>>
  %splat = arith.constant dense<2.0> : vector<4x!cube.param<@F>>
  %v = cube.load %y[%i] : !cube.array<!cube.param<@F>, 4> -> vector<4x!cube.param<@F>>
  %w = arith.addf %v, %lanes : vector<4x!cube.param<@F>>
  %u = arith.addf %w, %splat : vector<4x!cube.param<@F>>
  cube.store %u, %y[%i] : vector<4x!cube.param<@F>>, !cube.array<!cube.param<@F>, 4>
  %lo = arith.constant 0 : index
  %hi = arith.constant 9 : index
  %st = arith.constant 1 : index
  %r = scf.for %k = %lo to %hi step %st iter_args(%a = %s) -> (!cube.param<@F>) {
    %b = arith.mulf %a, %third : !cube.param<@F>
    scf.yield %b : !cube.param<@F>
  }
  cube.store %r, %x[%i] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  cube.return
}

// -----

// The type of a value can be a parameter.
// CHECK-LABEL: cube.kernel @value_of_a_parameter_type(
// CHECK: arith.constant 7.001950e-01 : f16
// DEFAULT-LABEL: cube.kernel @value_of_a_parameter_type(
// DEFAULT: arith.constant 0.699999988 : f32
cube.kernel @value_of_a_parameter_type comptime(@F : type = f32, @A : !cube.param<@F> = 0.7, @N : i32 = 0)(%x: !cube.array<!cube.param<@F>>, %i: i32) {
  %a = cube.constant <@A> : !cube.param<@F>
  cube.store %a, %x[%i] : !cube.param<@F>, !cube.array<!cube.param<@F>>
  cube.return
}

// -----

// Parameters in nested attributes are replaced too.
// CHECK-LABEL: cube.kernel @attributes(
// CHECK: arith.addi %i, %i {unroll = 8 : i32} : i32
cube.kernel @attributes comptime(@N : i32 = 4, @F : type = f32)(%x: !cube.array<i32>, %i: i32) {
  %s = arith.addi %i, %i {unroll = #cube.param<@N>} : i32
  cube.store %s, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// -----

// All accesses of an unchecked kernel are promised to be in bounds, unless the access itself is marked `checked`.
// CHECK-LABEL: cube.kernel @promised(
// CHECK: cube.load %x[%i] inbounds
// CHECK: cube.store %{{.*}}, %x[%i] inbounds
// CHECK: cube.load %x[%i] checked
// CHECK-NOT: comptime
cube.kernel @promised comptime(@N : i32 = 4, @F : type = f32)(%x: !cube.array<f32>, %i: i32) unchecked {
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %v, %x[%i] : f32, !cube.array<f32>
  %w = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// STATS: specialize 11 parameters replaced
