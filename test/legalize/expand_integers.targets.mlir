// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(expand-integers))' | FileCheck %s --check-prefixes=ALL,WGSL
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=spirv:vulkan1.1},cube.kernel(expand-integers))' | FileCheck %s --check-prefixes=ALL,SPIRV
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(expand-integers))' | FileCheck %s --check-prefixes=ALL,LLVM
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx1100},cube.kernel(expand-integers))' | FileCheck %s --check-prefix=AMD
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu},cube.kernel(expand-integers))' | FileCheck %s --check-prefix=CPU

// WGSL has the total division and shifts of Cube. WGSL and SPIR-V reverse bits.
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

// AMD GPUs have saturating sums of i16 and i32, and x86 has those of i8 and i16.
// AMD-LABEL: @saturating
// AMD-NOT: cube.addsi_sat {{.*}} i8
// AMD: cube.subui_sat %c, %d : i16
// AMD: cube.addsi_sat %e, %f : i32
// AMD-NOT: cube.addui_sat
// AMD: arith.addi %g, %h : i64
// CPU-LABEL: @saturating
// CPU: cube.addsi_sat %a, %b : i8
// CPU: cube.subui_sat %c, %d : i16
// CPU-NOT: cube.addsi_sat {{.*}} i32
// CPU: arith.addi %e, %f : i32
// CPU-NOT: cube.addui_sat
// CPU: arith.addi %g, %h : i64
cube.kernel @saturating(%a: i8, %b: i8, %c: i16, %d: i16, %e: i32, %f: i32, %g: i64, %h: i64, %x: !cube.array<i8>, %y: !cube.array<i16>, %z: !cube.array<i32>, %w: !cube.array<i64>) {
  %zero = arith.constant 0 : i32
  %i = cube.addsi_sat %a, %b : i8
  %j = cube.subui_sat %c, %d : i16
  %k = cube.addsi_sat %e, %f : i32
  %l = cube.addui_sat %g, %h : i64
  cube.store %i, %x[%zero] : i8, !cube.array<i8>
  cube.store %j, %y[%zero] : i16, !cube.array<i16>
  cube.store %k, %z[%zero] : i32, !cube.array<i32>
  cube.store %l, %w[%zero] : i64, !cube.array<i64>
  cube.return
}
