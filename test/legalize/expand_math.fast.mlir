// RUN: cubec %s --kernel fast --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PTX
// RUN: cubec %s --kernel fast --target wgsl:core -o - | FileCheck %s --check-prefix=WGSL
// RUN: cubec %s --kernel fast --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --kernel accurate --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=ACCURATE
// RUN: cubec %s --kernel accurate --target wgsl:core -o - | FileCheck %s --check-prefix=WORDS
// RUN: cubec %s --kernel accurate --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=SLOW

// With the flag `afn`, an f32 function becomes the chip's approximation.
// PTX-DAG: sin.approx
// PTX-DAG: cos.approx
// PTX-DAG: tanh.approx
// PTX-DAG: ex2.approx
// WGSL-DAG: log2(
// WGSL-DAG: sin(
// WGSL-DAG: cos(
// WGSL-DAG: tanh(
// AMD-DAG: v_log_f32
// AMD-DAG: v_sin_f32
// AMD-DAG: v_cos_f32
cube.kernel @fast(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %a = math.log2 %v fastmath<afn> : f32
  %b = math.sin %a fastmath<afn> : f32
  %c = math.tanh %b fastmath<afn> : f32
  %d = math.cos %c fastmath<afn> : f32
  %e = math.exp %d fastmath<afn> : f32
  cube.store %e, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// Without `afn`, also with all other flags, an f32 function keeps its published bound.
// ACCURATE-NOT: .approx
// WORDS-NOT: {{log2|sin|cos|tanh|exp}}(
// SLOW-NOT: {{v_log_f32|v_sin_f32|v_cos_f32|v_exp_f32}}
cube.kernel @accurate(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %a = math.log2 %v fastmath<nnan,ninf,nsz,contract,reassoc,arcp> : f32
  %b = math.sin %a : f32
  %c = math.exp2 %b fastmath<nnan> : f32
  %d = math.cos %c fastmath<contract> : f32
  %e = math.exp %d fastmath<nsz> : f32
  cube.store %e, %x[%i] : f32, !cube.array<f32>
  cube.return
}
