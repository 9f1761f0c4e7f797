// The code generator for AMD GPUs replaces `0 - x` by `-x`, which has another sign for x = 0. A fence hides the zero
// from it. A difference that ignores the signs of zeros, and other targets, have no fence.
// RUN: cubec %s --target amdgpu:gfx942 --emit llvm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --target amdgpu:gfx1100 --emit llvm -o - | FileCheck %s --check-prefix=AMD
// RUN: cubec %s --target nvptx:sm_90 --emit llvm -o - | FileCheck %s --check-prefix=NV
// RUN: cubec %s --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=ASM

// AMD-LABEL: @zero_minus(
// AMD: %[[ZERO:.+]] = {{.*}}call float @llvm.arithmetic.fence.f32(float 0.000000e+00)
// AMD: fsub float %[[ZERO]],
// AMD: fneg nsz float
// AMD: %[[LINE:.+]] = {{.*}}call <2 x half> @llvm.arithmetic.fence.v2f16(<2 x half> zeroinitializer)
// AMD: fsub <2 x half> %[[LINE]],
// NV-LABEL: @zero_minus(
// NV-NOT: fence
// ASM: v_sub_f32
// ASM: v_floor_f32
cube.kernel @zero_minus(%x: !cube.array<f32>, %h: !cube.array<f16, 2>, %y: !cube.array<f32>) cube_dim(64) {
  %u = cube.topology absolute_pos
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<2xf16>
  %v = cube.load %x[%u] : !cube.array<f32> -> f32
  %minus = arith.subf %zero, %v : f32
  %floor = math.floor %minus : f32
  cube.store %floor, %y[%u] : f32, !cube.array<f32>
  %any = arith.subf %zero, %v fastmath<nsz> : f32
  %ceil = math.ceil %any : f32
  %at1 = arith.addi %u, %c1 : i32
  cube.store %ceil, %y[%at1] : f32, !cube.array<f32>
  %line = cube.load %h[%u] : !cube.array<f16, 2> -> vector<2xf16>
  %lines = arith.subf %zeros, %line : vector<2xf16>
  cube.store %lines, %h[%u] : vector<2xf16>, !cube.array<f16, 2>
  cube.return
}
