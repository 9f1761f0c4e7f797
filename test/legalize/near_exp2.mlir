// RUN: cubec %s --kernel erf --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX-ERF
// RUN: cubec %s --kernel accurate --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX-ACCURATE
// RUN: cubec %s --kernel narrow --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX-NARROW
// RUN: cubec %s --kernel erf --target cpu --emit legalize -o - | FileCheck %s --check-prefix=EXPANDED
// RUN: cubec %s --kernel erf --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel erf --target amdgpu:gfx1100 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel accurate --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD-ACCURATE
// RUN: cubec %s --kernel narrow --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel narrow --target cpu --emit legalize -o - | FileCheck %s --check-prefix=NARROW

// PTX and AMD GPUs compute 2^x within 4 ULP. Above 1, erf is 1 - 2^q, whose error is less than 1 ULP.
// AMD: v_exp_f32
// AMD-ACCURATE: accurate:
// AMD-ACCURATE-NOT: v_exp_f32
// PTX-ERF: ex2.approx.f32
// EXPANDED: @erf
// EXPANDED-NOT: math.exp2
cube.kernel @erf(%x: !cube.array<f32>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = math.erf %v : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// The error of the instruction exceeds the f32 bounds of exp, exp2 and tanh.
// PTX-ACCURATE-NOT: ex2.approx
// PTX-ACCURATE-NOT: div.approx
cube.kernel @accurate(%x: !cube.array<f32>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %a = math.exp %v : f32
  %b = math.exp2 %a : f32
  %r = math.tanh %b : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// tanh in f16 has so few bits that approximate f32 instructions are accurate enough.
// PTX-NARROW: ex2.approx.f32
// PTX-NARROW: div.approx.f32
// NARROW-NOT: math.exp2
// NARROW: arith.divf {{.*}} fastmath<afn> : f32
cube.kernel @narrow(%x: !cube.array<f16>) cube_dim(64, 2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %r = math.tanh %v : f16
  cube.store %r, %x[%i] : f16, !cube.array<f16>
  cube.return
}
