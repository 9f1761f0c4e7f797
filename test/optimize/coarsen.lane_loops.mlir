// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(coarsen))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=spirv:vulkan1.3-full},cube.kernel(coarsen))' | FileCheck %s --check-prefix=COPIES
// RUN: cubec %s --kernel gelu --target nvptx:sm_90a --emit asm -o - | FileCheck %s --check-prefix=PTX
// RUN: cubec %s --kernel gelu_half --target nvptx:sm_90a --emit asm -o - | FileCheck %s --check-prefix=HALF

// LLVM unrolls the loop over the lanes, so that other passes visit one copy of a function that is expanded. The root is an
// instruction of the chip.
// CHECK-LABEL: cube.kernel @gelu(
// CHECK:         %[[V:.*]] = cube.load %x[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:         %[[E:.*]] = scf.for unsigned %[[N:.*]] = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (vector<4xf32>)
// CHECK:           %[[LANE:.*]] = cube.extract %{{.*}}[%[[N]]]
// CHECK-NEXT:      %[[F:.*]] = math.erf %[[LANE]] : f32
// CHECK-NEXT:      %[[NEXT:.*]] = cube.insert %[[F]], %[[ALL]][%[[N]]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK-NEXT:    } {cube.unroll}
// CHECK:         math.sqrt %{{.*}} : vector<4xf32>
// CHECK:         cube.store %{{.*}}, %y{{.*}} vector<4xf32>
// CHECK:         } else {
// CHECK:         math.erf
// CHECK-NOT:     math.erf
// COPIES-LABEL: cube.kernel @gelu(
// COPIES-COUNT-4: math.erf
// COPIES:         } else {
// PTX:            ld.global.v4.b32
// PTX-COUNT-4:    ex2.approx
// PTX:            st.global.v4.b32
// PTX-NOT:        local
cube.kernel @gelu(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    %erf = math.erf %v : f32
    %root = math.sqrt %erf : f32
    cube.store %root, %y[%i] inbounds by guard : f32, !cube.array<f32>
  }
  cube.return
}

// LLVM packs the results of copies of 16 bits into one register, and not those of a loop.
// CHECK-LABEL: cube.kernel @gelu_half(
// CHECK-COUNT-8: math.erf %{{.*}} : f16
// CHECK:         } else {
// HALF:           ld.global.v4.b32
// HALF-COUNT-4:   cvt.rn.f16x2.f32
// HALF:           st.global.v4.b32
cube.kernel @gelu_half(%x: !cube.array<f16>, %y: !cube.array<f16>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f16>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f16> -> f16
    %erf = math.erf %v : f16
    cube.store %erf, %y[%i] inbounds by guard : f16, !cube.array<f16>
  }
  cube.return
}
