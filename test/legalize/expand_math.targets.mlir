// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core-f16},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,WGSL
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu:x86-64},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,OLD
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu:x86-64-v3},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,NEW
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,NEW

// WGSL's floor is exact, and it rounds no halves away from zero. The first processors round by a call of a library, which kernels
// do not have.
// ALL-LABEL: @rounding
// WGSL: math.floor
// WGSL-NOT: math.round %
// OLD-NOT: math.floor
// OLD-NOT: math.round %
// NEW: math.floor
// NEW: math.round %
// ALL: cube.store
cube.kernel @rounding(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = math.floor %f : f32
  %b = math.round %a : f32
  cube.store %b, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// WGSL's inverse square root keeps the bound of 2 units. PTX and x86 have only approximations of 12 to 23 bits.
// ALL-LABEL: @roots
// WGSL: math.rsqrt %f : f32
// OLD-NOT: math.rsqrt
// NEW-NOT: math.rsqrt
// ALL: cube.store
cube.kernel @roots(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = math.rsqrt %f : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// In f16 two units are too many: through f32, natively.
// ALL-LABEL: @halves
// WGSL: %[[H:.*]] = arith.extf %h : f16 to f32
// WGSL: %[[R:.*]] = math.rsqrt %[[H]] : f32
// WGSL: arith.truncf %[[R]] : f32 to f16
// NEW-NOT: math.rsqrt
// ALL: cube.store
cube.kernel @halves(%h: f16, %x: !cube.array<f16>) {
  %zero = arith.constant 0 : i32
  %a = math.rsqrt %h : f16
  cube.store %a, %x[%zero] : f16, !cube.array<f16>
  cube.return
}
