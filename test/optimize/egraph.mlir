// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(egraph))' --cube-remarks=passed -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(egraph{explain=true}))' --cube-remarks=analysis -o %t.again 2>%t.why
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.why
// RUN: diff %t.out %t.again
// RUN: cube-opt %s --attach-target=target=nvptx:sm_90a --egraph-explain -o %t.third 2>%t.why
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.why
// RUN: diff %t.out %t.third

// A product and a sum fuse if both operations have the flag.
// CHECK-LABEL: cube.kernel @fused(
// CHECK:         %[[S:.*]] = math.fma %{{.*}}, %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK-NOT:     arith.addf
// CHECK:         cube.store %[[S]]
// SAID: the cost is {{[0-9]+}} instead of {{[0-9]+}}, by contract/fma
cube.kernel @fused(%x: !cube.array<f32>, %a: f32, %b: f32, %i: i32) cube_dim(64) {
  %c = cube.load %x[%i] : !cube.array<f32> -> f32
  %m = arith.mulf %a, %b fastmath<contract> : f32
  %s = arith.addf %m, %c fastmath<contract> : f32
  cube.store %s, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @not_fused(
// CHECK:         arith.mulf
// CHECK:         arith.addf
// CHECK-NOT:     math.fma
cube.kernel @not_fused(%x: !cube.array<f32>, %a: f32, %b: f32, %i: i32) cube_dim(64) {
  %c = cube.load %x[%i] : !cube.array<f32> -> f32
  %m = arith.mulf %a, %b : f32
  %s = arith.addf %m, %c fastmath<contract> : f32
  cube.store %s, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// WHY: (divui %0 8)
// WHY: => (shrui %0 3) by division/divu-power
// CHECK-LABEL: cube.kernel @division(
// CHECK-NOT:     cube.divui
// CHECK:         cube.shrui
cube.kernel @division(%x: !cube.array<i32>, %p: i32) cube_dim(64) {
  %eight = arith.constant 8 : i32
  %d = cube.divui %p, %eight : i32
  cube.store %d, %x[%p] : i32, !cube.array<i32>
  cube.return
}

// Rows and columns, products with equal constants, and a select that is a minimum.
// CHECK-LABEL: cube.kernel @index(
// CHECK-NOT:     cube.divui
// CHECK-NOT:     cube.remui
// CHECK-NOT:     arith.muli
// CHECK-NOT:     arith.select
// CHECK:         arith.minsi
cube.kernel @index(%x: !cube.array<i32>, %a: i32, %b: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %w = arith.constant 16 : i32
  %q = cube.divui %i, %w : i32
  %r = cube.remui %i, %w : i32
  %m = arith.muli %q, %w : i32
  %s = arith.addi %m, %r : i32
  %t1 = arith.muli %a, %c3 : i32
  %t2 = arith.muli %a, %c5 : i32
  %t3 = arith.addi %t1, %t2 : i32
  %t4 = arith.addi %t3, %s : i32
  %less = arith.cmpi slt, %a, %b : i32
  %least = arith.select %less, %a, %b : i32
  %t5 = arith.addi %t4, %least : i32
  cube.store %t5, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// A value with another use is computed once: the difference of squares keeps its two products.
// CHECK-LABEL: cube.kernel @shared(
// CHECK:         arith.mulf
// CHECK:         arith.mulf
// CHECK:         arith.subf
cube.kernel @shared(%x: !cube.array<f32>, %a: f32, %b: f32, %i: i32, %j: i32, %k: i32) cube_dim(64) {
  %aa = arith.mulf %a, %a fastmath<fast> : f32
  %bb = arith.mulf %b, %b fastmath<fast> : f32
  %d = arith.subf %aa, %bb fastmath<reassoc,nsz> : f32
  cube.store %aa, %x[%i] : f32, !cube.array<f32>
  cube.store %bb, %x[%j] : f32, !cube.array<f32>
  cube.store %d, %x[%k] : f32, !cube.array<f32>
  cube.return
}

// `x + 0.0` with nsz is `x`; the exact quotient still divides the original `x`.
// CHECK-LABEL: cube.kernel @directed(
// CHECK-NOT:     arith.addf
// CHECK:         %[[R:.*]] = arith.divf %{{.*}}, %a : f32
// CHECK:         cube.store %a,
// CHECK:         cube.store %[[R]],
cube.kernel @directed(%x: !cube.array<f32>, %a: f32, %i: i32, %j: i32) cube_dim(64) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = arith.addf %a, %zero fastmath<nsz> : f32
  %r = arith.divf %one, %a : f32
  cube.store %s, %x[%i] : f32, !cube.array<f32>
  cube.store %r, %x[%j] : f32, !cube.array<f32>
  cube.return
}

// The product uses the sum before and after the pass, so poison of the sum reaches the same values, and the sum keeps its flag.
// `egraph.promises.mlir` has the sums that lose their flags.
// CHECK-LABEL: cube.kernel @promises(
// CHECK:         %[[S:.*]] = arith.addi %a, %b overflow<nsw> : i32
// CHECK-NEXT:    arith.muli %a, %[[S]] : i32
cube.kernel @promises(%x: !cube.array<i32>, %a: i32, %b: i32, %i: i32) cube_dim(64) {
  %s = arith.addi %a, %b overflow<nsw> : i32
  %d = arith.subi %s, %b : i32
  %t = arith.muli %d, %s : i32
  cube.store %t, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// `arith.divui` is undefined for divisor 0, so x / x is kept if the divisor is unknown.
// CHECK-LABEL: cube.kernel @undefined(
// CHECK:         arith.divui
cube.kernel @undefined(%x: !cube.array<i32>, %a: i32, %i: i32) cube_dim(64) {
  %q = arith.divui %a, %a : i32
  cube.store %q, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// A rule can use a value of an enclosing block, which has no cost.
// CHECK-LABEL: cube.kernel @around(
// CHECK:         %[[I:.*]] = cube.topology
// CHECK:         %[[M:.*]] = arith.muli
// CHECK:         scf.if
// CHECK-NOT:     cube.divui
// CHECK:           cube.store %[[I]], %x[%[[M]]]
cube.kernel @around(%x: !cube.array<i32>, %p: i1, %j: i32) cube_dim(64) {
  %i = cube.topology unit_pos
  %w = arith.constant 12 : i32
  %m = arith.muli %i, %w : i32
  scf.if %p {
    %q = cube.divui %m, %w : i32
    cube.store %q, %x[%m] : i32, !cube.array<i32>
  }
  cube.store %m, %x[%j] : i32, !cube.array<i32>
  cube.return
}

// The counter of the loop is a multiple of the step, so masking its lowest bits has no effect.
// CHECK-LABEL: cube.kernel @steps(
// CHECK:         scf.for
// CHECK-NOT:     arith.andi
// CHECK:           cube.store
cube.kernel @steps(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %mask = arith.constant -4 : i32
  scf.for %k = %c0 to %n step %c4 : i32 {
    %r = arith.andi %k, %mask : i32
    cube.store %r, %x[%k] : i32, !cube.array<i32>
  }
  cube.return
}

// A quotient and a remainder with the same constant divisor share one division on every target.
// CHECK-LABEL: cube.kernel @pair(
// CHECK:         %[[Q:.*]] = cube.divui %i, %[[C:.*]] : i32
// CHECK:         %[[M:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK:         arith.subi %i, %[[M]] : i32
// CHECK-NOT:     cube.remui
// A remainder without a quotient of the same operands is not rewritten.
// CHECK-LABEL: cube.kernel @remainder(
// CHECK:         cube.remui
cube.kernel @pair(%x: !cube.array<i32>, %i: i32) cube_dim(64) {
  %seven = arith.constant 7 : i32
  %q = cube.divui %i, %seven : i32
  %r = cube.remui %i, %seven : i32
  cube.store %q, %x[%r] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @remainder(%x: !cube.array<i32>, %i: i32) cube_dim(64) {
  %seven = arith.constant 7 : i32
  %r = cube.remui %i, %seven : i32
  cube.store %i, %x[%r] : i32, !cube.array<i32>
  cube.return
}
