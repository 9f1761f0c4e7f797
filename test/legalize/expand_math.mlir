// RUN: cube-opt %s --split-input-file --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(expand-math))' --cube-remarks=missed 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS --input-file=%t.said

// A function expands to bit operations and fused multiply-adds; no function of the math dialect is left.
// CHECK-LABEL: @exp
// CHECK-NOT: math.exp
// CHECK: math.fma
// CHECK: arith.bitcast
// CHECK-NOT: math.exp
// CHECK: cube.store
cube.kernel @exp(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %r = math.exp %v : f32
  cube.store %r, %y[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// f16 functions are computed in f32 and rounded once at the end; lines are not split into lanes.
// CHECK-LABEL: @half_lines
// CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: math.fma %{{.*}} : vector<4xf32>
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK-NOT: math.tanh
cube.kernel @half_lines(%x: !cube.array<f16, 4>, %y: !cube.array<f16, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f16, 4> -> vector<4xf16>
  %r = math.tanh %v : vector<4xf16>
  cube.store %r, %y[%i] checked : vector<4xf16>, !cube.array<f16, 4>
  cube.return
}

// -----

// Functions with an instruction are kept; remainders and two-operand functions are expanded.
// CHECK-LABEL: @instructions
// CHECK: math.sqrt
// CHECK: math.fma
// CHECK: math.floor
// CHECK-NOT: arith.remf
// CHECK-NOT: math.powf
// CHECK: cube.return
cube.kernel @instructions(%x: !cube.array<f64>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f64> -> f64
  %a = math.sqrt %v : f64
  %b = math.fma %a, %v, %a : f64
  %c = math.floor %b : f64
  %d = arith.remf %c, %v : f64
  %e = math.powf %d, %c : f64
  cube.store %e, %x[%i] checked : f64, !cube.array<f64>
  cube.return
}

// -----

// The four predicates on a float (such as `math.isnan`) become comparisons in the operand's type.
// CHECK-LABEL: @classes
// CHECK-NOT: math.is
// CHECK: arith.cmpf uno, %[[X:.*]], %[[X]] : f16
// CHECK: math.absf
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf oge
cube.kernel @classes(%x: !cube.array<f16>, %y: !cube.array<i1, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f16> -> f16
  %nan = math.isnan %v : f16
  %inf = math.isinf %v : f16
  %finite = math.isfinite %v : f16
  %normal = math.isnormal %v : f16
  %r = vector.from_elements %nan, %inf, %finite, %normal : vector<4xi1>
  cube.store %r, %y[%i] checked : vector<4xi1>, !cube.array<i1, 4>
  cube.return
}

// -----

// A function with fast-math flags expands to its accurate form, with a remark; an instruction keeps its flags.
// CHECK-LABEL: @flags
// CHECK-NOT: math.exp
// CHECK: math.sqrt %{{.*}} fastmath<afn>
// SAYS-NOT: fast-math
// SAYS: [[#]]:8: remark: missed [expand-math:fast-math] the expansion of math.exp is accurate, and fast-math flags do not change it; if an approximation suffices, write it with basic arithmetic
// SAYS-NOT: fast-math
cube.kernel @flags(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %r = math.exp %v fastmath<afn> : f32
  %p = math.log %r : f32
  %s = math.sqrt %p fastmath<afn> : f32
  cube.store %s, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}
