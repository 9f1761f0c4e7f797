// RUN: split-file %s %t
// RUN: cube-opt %t/exp.mlir --verify-diagnostics --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(expand-math))'
// RUN: cube-opt %t/sqrt.mlir --verify-diagnostics --pass-pipeline='builtin.module(attach-target{target=spirv:vulkan1.2},cube.kernel(expand-math))'
// RUN: cube-opt %t/old.mlir --verify-diagnostics --pass-pipeline='builtin.module(attach-target{target=cpu:x86-64-v2},cube.kernel(expand-math))'

//--- exp.mlir
cube.kernel @k(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{'math.exp' is written out with 'math.fma' of f32, of which wgsl:core has no accurate instruction; choose a chip that has it [CUBE0411]}}
  %a = math.exp %f : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

//--- sqrt.mlir
cube.kernel @k(%f: f32, %x: !cube.array<f32>) {
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{'math.sqrt' of f32 has neither an accurate instruction on spirv:vulkan1.2 nor an expansion; choose a chip that has the instruction [CUBE0411]}}
  %a = math.sqrt %f : f32
  cube.store %a, %x[%zero] : f32, !cube.array<f32>
  cube.return
}

//--- old.mlir
cube.kernel @k(%f: f64, %x: !cube.array<f64>) {
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{'math.sin' is written out with 'math.fma' of f64, of which cpu:x86-64-v2 has no accurate instruction; choose a chip that has it [CUBE0411]}}
  %a = math.sin %f : f64
  cube.store %a, %x[%zero] : f64, !cube.array<f64>
  cube.return
}
