// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core-f16},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,WGSL
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu:x86-64},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,OLD
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu:x86-64-v3},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,NEW,CPU
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(expand-math))' | FileCheck %s --check-prefixes=ALL,NEW,PTX

// WGSL's floor is exact, but WGSL does not round halves away from zero. The first x86 processors round by a library
// call, which kernels cannot make.
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

// WGSL's inverse square root is within the bound of 2 ULP. PTX and x86 have only approximations of 12 to 23 bits.
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

// In f16 an error of 2 ULP is too large, so the inverse square root is computed in f32, by the native function.
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

// A chip without a fused multiply-add computes it with integers; if the addend is zero, no float operation is needed.
// ALL-LABEL: @fused
// WGSL-NOT: math.fma
// WGSL: arith.bitcast %f : f32 to i32
// WGSL: arith.mului_extended
// WGSL-NOT: arith.mulf
// WGSL-NOT: math.fma
// OLD-NOT: math.fma
// NEW: math.fma
// ALL: cube.store
cube.kernel @fused(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = math.fma %f, %f, %f : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// The square root is computed digit by digit, with 25 unsigned comparisons.
// ALL-LABEL: @root
// WGSL-NOT: math.sqrt
// WGSL-COUNT-25: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// OLD: math.sqrt
// NEW: math.sqrt
// ALL: cube.store
cube.kernel @root(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = math.sqrt %f : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// An f16 multiply-add is rounded to odd in f32, even if f32 has one, and then to f16. Lines are not split.
// ALL-LABEL: @fused_halves
// WGSL: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// WGSL-NOT: vector.fma
// WGSL: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// ALL: cube.store
cube.kernel @fused_halves(%h: !cube.array<f16, 4>, %x: !cube.array<f16, 4>) {
  %zero = arith.constant 0 : i32
  %v = cube.load %h[%zero] : !cube.array<f16, 4> -> vector<4xf16>
  %a = vector.fma %v, %v, %v : vector<4xf16>
  cube.store %a, %x[%zero] : vector<4xf16>, !cube.array<f16, 4>
  cube.return
}

// A quotient on WGSL has an error of up to 2.5 ULP, so the long division has digits of 20 instead of 22 bits.
// ALL-LABEL: @remainder
// ALL: arith.divf
// WGSL: arith.constant 0x49800000 : f32
// WGSL-NOT: arith.constant 0x4A800000 : f32
// OLD: arith.constant 0x4A800000 : f32
// NEW: arith.constant 0x4A800000 : f32
// ALL: cube.store
cube.kernel @remainder(%f: f32, %g: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = arith.remf %f, %g : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// On WGSL the polynomial ends at 1.25 instead of 0.625, so that the error of the division is a small part of the result.
// ALL-LABEL: @hyperbolic
// WGSL-NOT: arith.mului_extended
// WGSL: %[[QUOTIENT:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
// WGSL-NEXT: arith.subf %{{.*}}, %[[QUOTIENT]] : f32
// WGSL-NOT: arith.mului_extended
// WGSL: arith.constant 1.250000e+00 : f32
// WGSL-NOT: arith.mului_extended
// CPU: %[[QUOTIENT:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
// CPU-NEXT: arith.subf %{{.*}}, %[[QUOTIENT]] : f32
// CPU: arith.constant 6.250000e-01 : f32
// PTX: %[[POWER:.*]] = math.exp2 %{{.*}} fastmath<afn> : f32
// PTX: arith.addf %[[POWER]], %{{.*}} : f32
// PTX: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
// ALL: cube.store
cube.kernel @hyperbolic(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = math.tanh %f : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

// A chip without a fused multiply-add computes polynomials by products and sums, and rounds to integers by an instruction.
// ALL-LABEL: @polynomial
// WGSL-NOT: arith.mului_extended
// WGSL: math.roundeven
// WGSL-NOT: arith.mului_extended
// OLD-NOT: math.fma
// NEW: math.fma
// ALL: cube.store
cube.kernel @polynomial(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  %a = math.erf %f : f32
  %b = math.exp2 %a : f32
  cube.store %b, %x[%zero] : f32, !cube.array<f32>
  cube.return
}
