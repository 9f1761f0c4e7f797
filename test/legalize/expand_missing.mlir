// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(expand-missing))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=spirv:vulkan1.1},cube.kernel(expand-missing))' | FileCheck %s --check-prefix=SPIRV
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(expand-missing))' | FileCheck %s --check-prefix=LLVM
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-missing))' | FileCheck %s

// Without a target description, only operations that every target has are kept. WGSL has the fewest operations.
// WGSL has no wide product: it becomes four products of 16-bit halves. The lower half is `arith.muli`; there is no i64.
// CHECK-LABEL: @product
// CHECK-NOT: i64
// CHECK-NOT: extended
// CHECK: %[[LOW:.*]] = arith.muli %a, %b : i32
// CHECK: arith.andi %a, %c65535_i32
// CHECK: arith.shrui %b, %c16_i32
// CHECK-COUNT-4: arith.muli
// CHECK-NOT: arith.muli
// CHECK: cube.store %[[LOW]], %x
// SPIRV-LABEL: @product
// SPIRV: arith.mului_extended
// LLVM-LABEL: @product
// LLVM: arith.mului_extended
cube.kernel @product(%a: i32, %b: i32, %x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %l, %h = arith.mului_extended %a, %b : i32
  cube.store %l, %x[%zero] : i32, !cube.array<i32>
  cube.store %h, %x[%one] : i32, !cube.array<i32>
  cube.return
}

// For each negative operand, the other operand is subtracted from the upper half.
// CHECK-LABEL: @signed
// CHECK-NOT: extended
// CHECK: arith.shrsi %a, %c31_i32
// CHECK: arith.shrsi %b, %c31_i32
// CHECK: %[[SUM:.*]] = arith.addi %a, %b
// CHECK: arith.cmpi ult, %[[SUM]], %a
// SPIRV-LABEL: @signed
// SPIRV: arith.mulsi_extended
// SPIRV: arith.addui_extended
// LLVM-LABEL: @signed
// LLVM: arith.mulsi_extended
// LLVM: arith.addui_extended
cube.kernel @signed(%a: i32, %b: i32, %x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %l, %h = arith.mulsi_extended %a, %b : i32
  %s, %c = arith.addui_extended %a, %b : i32, i1
  %r = arith.select %c, %h, %s : i32
  cube.store %r, %x[%zero] : i32, !cube.array<i32>
  cube.return
}

// WGSL has bit counts and `abs`. It has no copysign, and its `max` can return either zero.
// CHECK-LABEL: @floats
// CHECK: math.ctlz
// CHECK: math.absf
// CHECK-NOT: math.copysign
// CHECK: arith.ori
// CHECK: %[[OVER:.*]] = arith.cmpf ogt
// CHECK: arith.select %[[OVER]]
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf uno
// CHECK-NOT: arith.maximumf
// SPIRV-LABEL: @floats
// LLVM-LABEL: @floats
// LLVM: math.ctlz
// LLVM: math.absf
// LLVM: math.copysign
// LLVM: arith.maximumf
cube.kernel @floats(%n: i32, %f: f32, %g: f32, %x: !cube.array<f32>) {
  %i = math.ctlz %n : i32
  %a = math.absf %f : f32
  %s = math.copysign %a, %g : f32
  %m = arith.maximumf %s, %g : f32
  cube.store %m, %x[%i] : f32, !cube.array<f32>
  cube.return
}
