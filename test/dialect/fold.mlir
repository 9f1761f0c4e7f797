// RUN: cube-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @constants
cube.func @constants() {
  %min = arith.constant -128 : i8
  %m1 = arith.constant -1 : i8
  %zero = arith.constant 0 : i8
  %seven = arith.constant 7 : i8
  %m7 = arith.constant -7 : i8
  %two = arith.constant 2 : i8
  %nine = arith.constant 9 : i8
  // CHECK-DAG: %[[MIN:.*]] = arith.constant -128 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[C124:.*]] = arith.constant 124 : i8
  // CHECK-DAG: %[[M3:.*]] = arith.constant -3 : i8
  // CHECK-DAG: %[[M1:.*]] = arith.constant -1 : i8
  // CHECK-DAG: %[[C14:.*]] = arith.constant 14 : i8
  // CHECK-DAG: %[[M4:.*]] = arith.constant -4 : i8
  // CHECK: "test.use"(%[[MIN]], %[[ZERO]], %[[C124]], %[[M3]], %[[M1]])
  %a = cube.divsi %min, %m1 : i8
  %b = cube.remsi %min, %m1 : i8
  %c = cube.divui %m7, %two : i8
  %d = cube.divsi %m7, %two : i8
  %e = cube.remsi %m7, %two : i8
  "test.use"(%a, %b, %c, %d, %e) : (i8, i8, i8, i8, i8) -> ()
  // A shift amount is taken modulo the width: for i8, 9 shifts by 1.
  // CHECK: "test.use"(%[[C14]], %[[C124]], %[[M4]])
  %f = cube.shl %seven, %nine : i8
  %g = cube.shrui %m7, %nine : i8
  %h = cube.shrsi %m7, %nine : i8
  "test.use"(%f, %g, %h) : (i8, i8, i8) -> ()
  cube.return
}

// Identities that hold for every operand.
// CHECK-LABEL: @identities
// CHECK-SAME: (%x: i32, %b: i1, %v: vector<4xi16>)
cube.func @identities(%x: i32, %b: i1, %v: vector<4xi16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 64 : i32
  %splat = arith.constant dense<1> : vector<4xi16>
  // CHECK-DAG: %[[Z:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ZV:.*]] = arith.constant dense<0> : vector<4xi16>
  // CHECK: "test.use"(%x, %x, %x, %x, %[[Z]], %[[Z]], %[[Z]], %[[Z]])
  %0 = cube.divui %x, %zero : i32
  %1 = cube.divsi %x, %zero : i32
  %2 = cube.divui %x, %one : i32
  %3 = cube.divsi %x, %one : i32
  %4 = cube.remui %x, %zero : i32
  %5 = cube.remsi %x, %zero : i32
  %6 = cube.remui %x, %one : i32
  %7 = cube.remsi %x, %one : i32
  "test.use"(%0, %1, %2, %3, %4, %5, %6, %7) : (i32, i32, i32, i32, i32, i32, i32, i32) -> ()
  // CHECK: "test.use"(%x, %x, %x, %x)
  %8 = cube.shl %x, %zero : i32
  %9 = cube.shl %x, %width : i32
  %10 = cube.shrui %x, %width : i32
  %11 = cube.shrsi %x, %width : i32
  "test.use"(%8, %9, %10, %11) : (i32, i32, i32, i32) -> ()
  // CHECK: "test.use"(%v, %[[ZV]])
  %12 = cube.divui %v, %splat : vector<4xi16>
  %13 = cube.remsi %v, %splat : vector<4xi16>
  "test.use"(%12, %13) : (vector<4xi16>, vector<4xi16>) -> ()
  cube.return
}

// Not folded: a constant dividend, a divisor -1, lanes with different divisors, an amount that is not a multiple of 32.
// CHECK-LABEL: @kept
// CHECK: cube.divui
// CHECK: cube.divsi
// CHECK: cube.divui {{.*}} : vector<2xi16>
// CHECK: cube.shl
// CHECK: cube.remsi
cube.func @kept(%x: i32, %v: vector<2xi16>) {
  %zero = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %four = arith.constant 4 : i32
  %lanes = arith.constant dense<[1, 0]> : vector<2xi16>
  %0 = cube.divui %zero, %x : i32
  %1 = cube.divsi %x, %m1 : i32
  %2 = cube.divui %v, %lanes : vector<2xi16>
  %3 = cube.shl %x, %four : i32
  %4 = cube.remsi %x, %m1 : i32
  "test.use"(%0, %1, %2, %3, %4) : (i32, i32, vector<2xi16>, i32, i32) -> ()
  cube.return
}

// Constants of 64 bits and of one bit. The constant 1 of i1 is also -1 and MIN.
// CHECK-LABEL: @widths
// CHECK-DAG: %[[MIN:.*]] = arith.constant -9223372036854775808 : i64
// CHECK-DAG: %[[T:.*]] = arith.constant true
// CHECK-DAG: %[[F:.*]] = arith.constant false
// CHECK: "test.use"(%[[MIN]], %[[T]], %[[F]], %[[T]])
cube.func @widths() {
  %min = arith.constant -9223372036854775808 : i64
  %m1 = arith.constant -1 : i64
  %t = arith.constant true
  %0 = cube.divsi %min, %m1 : i64
  %1 = cube.divsi %t, %t : i1
  %2 = cube.remsi %t, %t : i1
  %3 = cube.shl %t, %t : i1
  "test.use"(%0, %1, %2, %3) : (i64, i1, i1, i1) -> ()
  cube.return
}

// A conversion of a tf32 to tf32 clears the 13 lowest bits of the 32-bit value, so it is not folded; a conversion of
// f32 to f32 is removed.
// CHECK-LABEL: @same_type
// CHECK: cube.cast %{{.*}} : tf32 to tf32
// CHECK-NOT: cube.cast
cube.kernel @same_type(%x: !cube.array<tf32>, %y: !cube.array<f32>, %i: i32) {
  %t = cube.load %x[%i] : !cube.array<tf32> -> tf32
  %u = cube.cast %t : tf32 to tf32
  cube.store %u, %x[%i] : tf32, !cube.array<tf32>
  %f = cube.load %y[%i] : !cube.array<f32> -> f32
  %g = cube.cast %f : f32 to f32
  cube.store %g, %y[%i] : f32, !cube.array<f32>
  cube.return
}
