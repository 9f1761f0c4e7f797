// RUN: cubec %s --kernel erf --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX-ERF
// RUN: cubec %s --kernel accurate --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX-ACCURATE
// RUN: cubec %s --kernel narrow --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX-NARROW
// RUN: cubec %s --kernel erf --target cpu --emit legalize -o - | FileCheck %s --check-prefix=EXPANDED
// RUN: cubec %s --kernel erf --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel erf --target amdgpu:gfx1100 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel accurate --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD-ACCURATE
// RUN: cubec %s --kernel narrow --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel narrow --target cpu --emit legalize -o - | FileCheck %s --check-prefix=NARROW
// RUN: cubec %s --kernel wide --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=WIDE
// RUN: cubec %s --kernel wide --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=WIDE-AMD
// RUN: cubec %s --kernel wide --target cpu --emit legalize -o - | FileCheck %s --check-prefix=WIDE-CPU

// PTX and AMD GPUs compute 2^x within 3 ULP. Above 1, erf is 1 - 2^q, whose error is less than 1 ULP.
// AMD: v_exp_f32
// AMD-ACCURATE: accurate:
// AMD-ACCURATE-NOT: v_exp_f32
// PTX-ERF: ex2.approx.ftz.f32
// EXPANDED: @erf
// EXPANDED-NOT: math.exp2
cube.kernel @erf(%x: !cube.array<f32>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = math.erf %v : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// The error of the instruction exceeds the f32 bounds of exp and exp2.
// PTX-ACCURATE-NOT: .approx
cube.kernel @accurate(%x: !cube.array<f32>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %a = math.exp %v : f32
  %b = math.exp2 %a : f32
  %r = math.log2 %b : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// Above 2^-6, tanh in f16 is 1 - 2 / (2^(2 log2(e) x) + 1) by two approximate instructions of f32. Both flush subnormal
// numbers. A chip without these instructions uses a polynomial and a quotient.
// PTX-NARROW: ex2.approx.ftz.f32
// PTX-NARROW-NEXT: add.rn.f32
// PTX-NARROW-NEXT: rcp.approx.ftz.f32
// PTX-NARROW-NEXT: fma.rn.f32
// PTX-NARROW-NOT: fma.rn.f32
// NARROW-NOT: math.exp2
// NARROW: arith.divf {{.*}} fastmath<afn> : f32
cube.kernel @narrow(%x: !cube.array<f16>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %r = math.tanh %v : f16
  cube.store %r, %x[%i] : f16, !cube.array<f16>
  cube.return
}

// tanh in f32 is a polynomial below 1.25. From 1.25 on, the errors of both instructions are less than 1.3 ULP of the result.
// WIDE: .entry wide(
// WIDE-NOT: tanh.approx
// WIDE: ex2.approx.ftz.f32
// WIDE: rcp.approx.ftz.f32
// WIDE-COUNT-8: fma.rn.f32
// WIDE: setp.lt.f32 {{.*}}, 0f3FA00000
// WIDE-AMD: v_exp_f32
// WIDE-AMD: v_rcp_f32
// WIDE-CPU: @wide
// WIDE-CPU-NOT: fastmath<afn>
cube.kernel @wide(%x: !cube.array<f32>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = math.tanh %v : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}
