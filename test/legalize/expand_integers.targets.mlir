// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(expand-integers))' | FileCheck %s --check-prefixes=ALL,WGSL
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=spirv:vulkan1.1},cube.kernel(expand-integers))' | FileCheck %s --check-prefixes=ALL,SPIRV
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(expand-integers))' | FileCheck %s --check-prefixes=ALL,LLVM

// WGSL has the total division and shifts of Cube. WGSL and SPIR-V reverse bits. No target has saturating sums.
// ALL-LABEL: @integers
// WGSL: cube.divsi %a, %b
// WGSL: cube.shl %{{.*}}, %b
// WGSL: cube.reverse_bits
// SPIRV: arith.divsi
// SPIRV: arith.shli
// SPIRV: cube.reverse_bits
// LLVM: arith.divsi
// LLVM: arith.shli
// LLVM-NOT: cube.reverse_bits
// ALL-NOT: cube.addsi_sat
// ALL: cube.store
cube.kernel @integers(%a: i32, %b: i32, %x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %q = cube.divsi %a, %b : i32
  %s = cube.shl %q, %b : i32
  %r = cube.reverse_bits %s : i32
  %t = cube.addsi_sat %r, %a : i32
  cube.store %t, %x[%zero] : i32, !cube.array<i32>
  cube.return
}
