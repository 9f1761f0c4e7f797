// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx942},cube.kernel(expand-math))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=cpu:x86-64-v3},cube.kernel(expand-math))' | FileCheck %s --check-prefix=CPU
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(expand-math))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_75},cube.kernel(expand-math))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_80},cube.kernel(expand-math))' | FileCheck %s --check-prefix=CPU

// LLVM computes the fused product of bf16 for AMD GPUs and for sm_70 and sm_75 in f32, and rounds the result again. The product is therefore rounded to odd
// before. The CPU has a separate pass, which rounds once, and sm_80 has `fma.rn.bf16`.
// CHECK-LABEL: @fused
// CHECK-NOT: math.fma {{.*}} : bf16
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CPU: math.fma {{.*}} : bf16
cube.kernel @fused(%a: bf16, %b: bf16, %c: bf16, %x: !cube.array<bf16>) {
  %zero = arith.constant 0 : i32
  %r = math.fma %a, %b, %c : bf16
  cube.store %r, %x[%zero] : bf16, !cube.array<bf16>
  cube.return
}
