// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_80},cube.kernel(expand-conversions))' | FileCheck %s --check-prefixes=ALL,DOUBLE
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_86},cube.kernel(expand-conversions))' | FileCheck %s --check-prefixes=ALL,SINGLE
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90},cube.kernel(expand-conversions))' | FileCheck %s --check-prefixes=ALL,NATIVE
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core-f16},cube.kernel(expand-conversions))' | FileCheck %s --check-prefixes=ALL,WGSL

// An integer is converted to f16 through f32 on every chip: integers that f32 rounds are outside of the range of f16.
// ALL-LABEL: @half
// ALL-NOT: f64
// ALL: %[[F:.*]] = arith.sitofp %n : i32 to f32
// ALL: arith.truncf %[[F]] : f32 to f16
cube.kernel @half(%n: i32, %x: !cube.array<f16>) {
  %zero = arith.constant 0 : i32
  %h = cube.cast %n : i32 to f16
  cube.store %h, %x[%zero] : f16, !cube.array<f16>
  cube.return
}

// i64 to bf16: by one instruction, through f64 where that is fast, or through 32 bits with a sticky last bit.
// ALL-LABEL: @wide
// DOUBLE: arith.sitofp %{{.*}} : i64 to f64
// SINGLE-NOT: f64
// SINGLE: %[[ODD:.*]] = arith.trunci %{{.*}} : i64 to i32
// SINGLE: arith.sitofp %{{.*}} : i32 to f32
// SINGLE: arith.mulf
// SINGLE: arith.truncf %{{.*}} : f32 to bf16
// NATIVE: arith.sitofp %n : i64 to bf16
// WGSL-NOT: f64
// ALL: cube.return
cube.kernel @wide(%n: i64, %x: !cube.array<bf16>) {
  %zero = arith.constant 0 : i32
  %h = cube.cast %n : i64 to bf16
  cube.store %h, %x[%zero] : bf16, !cube.array<bf16>
  cube.return
}

// Saturating conversions and conversions with an explicit rounding mode do not map to an instruction.
// ALL-LABEL: @saturated
// NATIVE: arith.sitofp %n : i32 to bf16
// NATIVE: arith.select
// ALL: cube.return
cube.kernel @saturated(%n: i32, %x: !cube.array<bf16>) {
  %zero = arith.constant 0 : i32
  %h = cube.cast %n saturate : i32 to bf16
  cube.store %h, %x[%zero] : bf16, !cube.array<bf16>
  cube.return
}
