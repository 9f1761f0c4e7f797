// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(egraph))' --cube-remarks=passed 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(egraph,expand-conversions))' | FileCheck %s --check-prefix=CLAMP

// A comparison of an extended integer with a constant uses the narrow type if the constant fits the type.
// CHECK-LABEL: cube.kernel @fits(
// CHECK-DAG:   %[[A:.*]] = arith.constant 127 : i32
// CHECK-DAG:   %[[B:.*]] = arith.constant -1 : i32
// CHECK-DAG:   arith.cmpi slt, %x, %[[A]] : i32
// CHECK-DAG:   arith.cmpi ult, %x, %[[A]] : i32
// CHECK-DAG:   arith.cmpi uge, %x, %[[B]] : i32
// CHECK:       cube.return
// SAID: cast/slt-exts-by
cube.kernel @fits(%y: !cube.array<i1>, %z: !cube.array<i64>, %x: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %c127 = arith.constant 127 : i64
  %minus = arith.constant -1 : i64
  %w = cube.cast %x : i32 to i64
  %u = cube.cast %x from_unsigned : i32 to i64
  %a = arith.cmpi slt, %w, %c127 : i64
  %b = arith.cmpi slt, %u, %c127 : i64
  %c = arith.cmpi uge, %w, %minus : i64
  %ab = arith.andi %a, %b : i1
  %abc = arith.ori %ab, %c : i1
  cube.store %abc, %y[%p] : i1, !cube.array<i1>
  cube.store %w, %z[%p] : i64, !cube.array<i64>
  cube.return
}

// For other constants, the comparison has one result, or depends on the sign only.
// CHECK-LABEL: cube.kernel @beyond(
// CHECK-DAG:   %[[YES:.*]] = arith.constant true
// CHECK-DAG:   %[[NO:.*]] = arith.constant false
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:   %[[SIGN:.*]] = arith.cmpi sge, %x, %[[ZERO]] : i32
// CHECK-NOT:   arith.cmpi
// CHECK:       cube.store %[[YES]], %y
// CHECK:       cube.store %[[NO]], %y
// CHECK:       cube.store %[[SIGN]], %y
cube.kernel @beyond(%y: !cube.array<i1>, %x: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %above = arith.constant 2147483648 : i64
  %below = arith.constant -1 : i64
  %w = arith.extsi %x : i32 to i64
  %u = arith.extui %x : i32 to i64
  %a = arith.cmpi slt, %w, %above : i64
  %b = arith.cmpi slt, %u, %below : i64
  %c = arith.cmpi ult, %w, %above : i64
  cube.store %a, %y[%p] : i1, !cube.array<i1>
  cube.store %b, %y[%p] : i1, !cube.array<i1>
  cube.store %c, %y[%p] : i1, !cube.array<i1>
  cube.return
}

// The clamp of a saturating conversion uses the type before the extension.
// CLAMP-LABEL: cube.kernel @clamped(
// CLAMP:       %[[X:.*]] = cube.load %x[
// CLAMP:       arith.minsi %[[X]], %{{.*}} : i32
// CLAMP:       arith.maxsi %{{.*}}, %{{.*}} : i32
// CLAMP:       arith.minui %[[X]], %{{.*}} : i32
// CLAMP-NEXT:  arith.trunci %{{.*}} : i32 to i8
// CLAMP-NOT:   arith.maxsi
cube.kernel @clamped(%x: !cube.array<i32>, %y: !cube.array<i8>, %z: !cube.array<i64>) cube_dim(64) {
  %p = cube.topology absolute_pos
  %v = cube.load %x[%p] : !cube.array<i32> -> i32
  %w = cube.cast %v : i32 to i64
  %u = cube.cast %v from_unsigned : i32 to i64
  %s = cube.cast %w saturate : i64 to i8
  %t = cube.cast %u saturate : i64 to i8
  cube.store %s, %y[%p] : i8, !cube.array<i8>
  cube.store %t, %y[%p] : i8, !cube.array<i8>
  cube.store %w, %z[%p] : i64, !cube.array<i64>
  cube.store %u, %z[%p] : i64, !cube.array<i64>
  cube.return
}
