// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-integers))' --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @unsigned
// CHECK: %[[Q:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[ZERO:.*]] = arith.cmpi eq, %d, %[[Q]] : i32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[SAFE:.*]] = arith.select %[[ZERO]], %[[ONE]], %d : i32
// CHECK-NEXT: arith.divui %x, %[[SAFE]] : i32
// CHECK: %[[SAFE2:.*]] = arith.select
// CHECK-NEXT: arith.remui %x, %[[SAFE2]] : i32
cube.kernel @unsigned(%out: !cube.array<i32>, %x: i32, %d: i32) {
  %q = cube.divui %x, %d : i32
  %r = cube.remui %x, %d : i32
  cube.store %q, %out[%r] inbounds : i32, !cube.array<i32>
  cube.return
}

// For divisor 0 and for MIN / -1, the divisor is replaced by 1; the constants have the width of the operands.
// CHECK-LABEL: @signed
// CHECK: arith.constant -128 : i8
// CHECK: %[[MINUS:.*]] = arith.constant -1 : i8
// CHECK: %[[OVER:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: %[[BAD:.*]] = arith.ori %{{.*}}, %[[OVER]] : i1
// CHECK: %[[SAFE:.*]] = arith.select %[[BAD]], %{{.*}}, %d : i8
// CHECK-NEXT: arith.divsi %x, %[[SAFE]] : i8
// CHECK: arith.constant -128 : i8
// CHECK: arith.remsi %{{.*}}, %{{.*}} : i8
// CHECK: arith.constant -9223372036854775808 : i64
// CHECK: arith.divsi %{{.*}}, %{{.*}} : i64
cube.kernel @signed(%out: !cube.array<i8>, %wide: !cube.array<i64>, %x: i8, %d: i8, %y: i64, %i: i32) {
  %q = cube.divsi %x, %d : i8
  %r = cube.remsi %q, %d : i8
  %w = cube.divsi %y, %y : i64
  cube.store %r, %out[%i] inbounds : i8, !cube.array<i8>
  cube.store %w, %wide[%i] inbounds : i64, !cube.array<i64>
  cube.return
}

// Shift amounts are taken modulo the width, by a mask if the width is a power of two.
// CHECK-LABEL: @shifts
// CHECK: %[[M:.*]] = arith.constant dense<15> : vector<4xi16>
// CHECK-NEXT: %[[S:.*]] = arith.andi %[[IN:.*]]#1, %[[M]] : vector<4xi16>
// CHECK-NEXT: arith.shli %{{.*}}, %[[S]] : vector<4xi16>
// CHECK: arith.andi
// CHECK-NEXT: arith.shrui
// CHECK: arith.andi
// CHECK-NEXT: arith.shrsi
// CHECK: %[[W:.*]] = arith.constant 24 : i24
// CHECK-NEXT: %[[A:.*]] = arith.remui %[[IN]]#2, %[[W]] : i24
// CHECK-NEXT: arith.shli %[[IN]]#2, %[[A]] : i24
cube.kernel @shifts(%out: !cube.array<i16, 4>, %i: i32) {
  %x, %s, %o = "test.make"() : () -> (vector<4xi16>, vector<4xi16>, i24)
  %a = cube.shl %x, %s : vector<4xi16>
  %b = cube.shrui %a, %s : vector<4xi16>
  %c = cube.shrsi %b, %s : vector<4xi16>
  %d = cube.shl %o, %o : i24
  "test.use"(%d) : (i24) -> ()
  cube.store %c, %out[%i] inbounds : vector<4xi16>, !cube.array<i16, 4>
  cube.return
}

// For i1, x / y is always x, x % y is always 0, and every shift amount is 0 modulo the width.
// CHECK-LABEL: @one_bit
// CHECK: %[[F:.*]] = arith.constant false
// CHECK: "test.use"(%a, %a, %[[F]], %{{.*}}, %a, %a, %a)
cube.kernel @one_bit(%a: i1, %b: i1) {
  %0 = cube.divui %a, %b : i1
  %1 = cube.divsi %a, %b : i1
  %2 = cube.remui %a, %b : i1
  %3 = cube.remsi %a, %b : i1
  %4 = cube.shl %a, %b : i1
  %5 = cube.shrui %a, %b : i1
  %6 = cube.shrsi %a, %b : i1
  "test.use"(%0, %1, %2, %3, %4, %5, %6) : (i1, i1, i1, i1, i1, i1, i1) -> ()
  cube.return
}
// CHECK-NOT: cube.{{div|rem|sh}}
