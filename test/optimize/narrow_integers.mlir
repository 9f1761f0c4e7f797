// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl},cube.kernel(narrow-integers,canonicalize))' --cube-stats 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(narrow-integers))' | FileCheck %s --check-prefix=WIDE
// RUN: cubec %s --kernel index --target wgsl -o %t.wgsl

// The index of `x[i as usize]`: a chip without 64 bits computes with 32, and a chip that has them keeps the operations.
// CHECK-LABEL: @index
// CHECK-NOT: i64
// CHECK: cube.return
// STATS: narrow-integers{{.*}}{{[1-9][0-9]*}} operations narrowed
// WIDE-LABEL: @index
// WIDE: arith.minui %{{.*}}, %{{.*}} : i64
cube.kernel @index(%n: i32, %x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(32) {
  %most = arith.constant 4294967295 : i64
  %u = cube.topology absolute_pos
  %i = cube.remui %u, %n : i32
  %w = arith.extui %i : i32 to i64
  %m = arith.minui %w, %most : i64
  %t = arith.trunci %m : i64 to i32
  %v = cube.load %x[%t] : !cube.array<f32> -> f32
  cube.store %v, %y[%u] : f32, !cube.array<f32>
  cube.return
}

// The low half of a product needs only the low halves. Its high half keeps the width.
// CHECK-LABEL: @product
// CHECK: %[[P:.*]] = arith.muli %{{.*}}, %n : i32
// CHECK: %[[HIGH:.*]] = arith.shrui %{{.*}}, %{{.*}} : i64
// CHECK: cube.store %[[P]], %y
cube.kernel @product(%n: i32, %y: !cube.array<i32>) cube_dim(32) {
  %u = cube.topology absolute_pos
  %a = arith.extui %u : i32 to i64
  %b = arith.extui %n : i32 to i64
  %p = arith.muli %a, %b : i64
  %c33 = arith.constant 33 : i64
  %s = arith.shrui %p, %c33 : i64
  %t = arith.trunci %s : i64 to i32
  %l = arith.trunci %p : i64 to i32
  cube.store %l, %y[%u] : i32, !cube.array<i32>
  cube.store %t, %y[%n] : i32, !cube.array<i32>
  cube.return
}

// Numbers that fit as unsigned ones only: the signed minimum becomes an unsigned one, and the comparison too.
// CHECK-LABEL: @signed
// CHECK: arith.minui %a, %b : i32
// CHECK: arith.cmpi ult, %a, %b : i32
cube.kernel @signed(%a: i32, %b: i32, %y: !cube.array<i32>) cube_dim(32) {
  %u = cube.topology absolute_pos
  %wa = arith.extui %a : i32 to i64
  %wb = arith.extui %b : i32 to i64
  %m = arith.minsi %wa, %wb : i64
  %c = arith.cmpi slt, %wa, %wb : i64
  %t = arith.trunci %m : i64 to i32
  %o = arith.select %c, %t, %u : i32
  cube.store %o, %y[%u] : i32, !cube.array<i32>
  cube.return
}
