// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl},narrow-inclusive-loops)' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu},narrow-inclusive-loops)' | FileCheck %s --check-prefix=WIDE
// RUN: cubec %s --kernel unsigned --target wgsl -o %t.wgsl && FileCheck %s --check-prefix=WGSL --input-file=%t.wgsl

// WIDE-COUNT-4: cube.for
// WGSL: loop {
// WGSL: arguments.b - 

// for i in a..=b: the loop computes before each iteration whether there is another one.
// CHECK-LABEL: @unsigned
// CHECK: arith.cmpi ule, %a, %b : i32
// CHECK: cube.loop {
// CHECK:   cube.break
// CHECK:   %[[I:.*]] = cube.load
// CHECK:   %[[LEFT:.*]] = arith.subi %b, %[[I]] : i32
// CHECK:   arith.cmpi uge, %[[LEFT]], %{{.*}} : i32
// CHECK:   arith.addi %[[I]], %{{.*}} : i32
// CHECK:   arith.extui %[[I]] : i32 to i64
cube.kernel @unsigned(%a: i32, %b: i32, %y: !cube.array<i32>) cube_dim(1) {
  %c1 = arith.constant 1 : i64
  %from = arith.extui %a : i32 to i64
  %last = arith.extui %b : i32 to i64
  %to = arith.addi %last, %c1 : i64
  cube.for unsigned %i = %from to %to step %c1 : i64 {
    %n = arith.trunci %i : i64 to i32
    cube.store %n, %y[%n] : i32, !cube.array<i32>
  }
  cube.return
}

// Signed bounds, and a body that ends in an exit.
// CHECK-LABEL: @signed
// CHECK: arith.cmpi sle, %{{.*}}, %b : i32
// CHECK: cube.loop {
// CHECK:   arith.extsi
// CHECK:   cube.continue
cube.kernel @signed(%b: i32, %y: !cube.array<i32>) cube_dim(1) {
  %c1 = arith.constant 1 : i64
  %from = arith.constant -2147483648 : i64
  %c2 = arith.constant 2 : i64
  %last = arith.extsi %b : i32 to i64
  %to = arith.addi %last, %c1 : i64
  cube.for %i = %from to %to step %c2 : i64 {
    %n = arith.trunci %i : i64 to i32
    cube.store %n, %y[%n] : i32, !cube.array<i32>
    cube.continue
  }
  cube.return
}

// All numbers of the type: the last one is 4294967295.
// CHECK-LABEL: @all
// CHECK-DAG: arith.constant -1 : i32
// CHECK: cube.loop {
cube.kernel @all(%y: !cube.array<i32>) cube_dim(1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %to = arith.constant 4294967296 : i64
  cube.for unsigned %i = %c0 to %to step %c1 : i64 {
    %n = arith.trunci %i : i64 to i32
    cube.store %n, %y[%n] : i32, !cube.array<i32>
    cube.break
  }
  cube.return
}

// Bounds that need 64 bits: the loop stays, and the check of the target refuses it.
// CHECK-LABEL: @wide
// CHECK: cube.for
cube.kernel @wide(%b: i64, %y: !cube.array<i32>) cube_dim(1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  cube.for unsigned %i = %c0 to %b step %c1 : i64 {
    %n = arith.trunci %i : i64 to i32
    cube.store %n, %y[%n] : i32, !cube.array<i32>
  }
  cube.return
}
