// RUN: split-file %s %t
// RUN: cube-opt %t/sin.mlir --pass-pipeline='builtin.module(attach-target{target=wgsl:core})' | sed 's/{f32 = "native"/{f32 = "native", f64 = "native"/; s/div = {/div = {f64 = "exact", /' > %t/described.mlir
// RUN: not cube-opt %t/described.mlir --pass-pipeline='builtin.module(cube.kernel(expand-math))' 2>&1 | FileCheck %s --check-prefix=SIN
// RUN: cube-opt %t/root.mlir --pass-pipeline='builtin.module(attach-target{target=wgsl:core})' | sed 's/{f32 = "native"/{f32 = "native", f64 = "native"/; s/div = {/div = {f64 = "exact", /' > %t/rooted.mlir
// RUN: not cube-opt %t/rooted.mlir --pass-pipeline='builtin.module(cube.kernel(expand-math))' 2>&1 | FileCheck %s --check-prefix=ROOT

// A target with f64, but with neither accurate f64 functions nor i64.
//--- sin.mlir
// SIN: described.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'math.sin' requires math.fma of f64; wgsl:core has no accurate instruction for math.fma, and no i64 for an expansion; choose another chip [CUBE0411]
cube.kernel @k(%f: f64, %x: !cube.array<f64>) {
  %zero = arith.constant 0 : i32
  %a = math.sin %f : f64
  cube.store %a, %x[%zero] : f64, !cube.array<f64>
  cube.return
}

//--- root.mlir
// ROOT: error: 'math.sqrt' requires math.sqrt of f64; wgsl:core has no accurate instruction for math.sqrt, and no i64 for an expansion; choose another chip [CUBE0411]
cube.kernel @k(%f: f64, %x: !cube.array<f64>) {
  %zero = arith.constant 0 : i32
  %a = math.sqrt %f : f64
  cube.store %a, %x[%zero] : f64, !cube.array<f64>
  cube.return
}
