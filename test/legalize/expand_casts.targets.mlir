// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90},cube.kernel(expand-casts))' | FileCheck %s --check-prefixes=ALL,NEW
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_80},cube.kernel(expand-casts))' | FileCheck %s --check-prefixes=ALL,OLD
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu},cube.kernel(expand-casts))' | FileCheck %s --check-prefixes=ALL,CPU

// PTX converts f64 to f16 on every chip, and f64 to bf16 from sm_90.
// ALL-LABEL: @casts
// NEW: arith.truncf %f : f64 to f16
// NEW: arith.truncf %f : f64 to bf16
// OLD: arith.truncf %f : f64 to f16
// OLD: arith.truncf %f : f64 to f32
// OLD: arith.truncf %{{.*}} : f32 to bf16
// CPU: arith.truncf %f : f64 to f32
// CPU: arith.truncf %{{.*}} : f32 to f16
// ALL: cube.return
cube.kernel @casts(%f: f64, %x: !cube.array<f16>, %y: !cube.array<bf16>) {
  %zero = arith.constant 0 : i32
  %h = arith.truncf %f : f64 to f16
  cube.store %h, %x[%zero] : f16, !cube.array<f16>
  %b = arith.truncf %f : f64 to bf16
  cube.store %b, %y[%zero] : bf16, !cube.array<bf16>
  cube.return
}
