// RUN: cubec %s --kernel words --target amdgpu:gfx1100 --emit asm -o - | FileCheck %s --check-prefix=RDNA
// RUN: cubec %s --kernel words --target amdgpu:gfx90a --emit asm -o - | FileCheck %s --check-prefix=CDNA
// RUN: cubec %s --kernel words --target amdgpu:gfx1200 --emit asm -o - | FileCheck %s --check-prefix=RDNA
// RUN: cubec %s --kernel words --target nvptx:sm_90 -o - | FileCheck %s --check-prefix=PTX
// RUN: cubec %s --kernel shorts --target cpu:x86-64-v3 --emit asm -o - | FileCheck %s --check-prefix=CPU
// RUN: cubec %s --kernel planes --target cpu:x86-64-v3 --emit asm -o - | FileCheck %s --check-prefix=PLANES

// AMD GPUs clamp the sum in the same instruction. PTX has such an instruction for signed sums, which LLVM does not select.
// RDNA-LABEL: words:
// RDNA: v_add_nc_i32 {{.*}} clamp
// RDNA: v_sub_nc_u32{{.*}} clamp
// CDNA-LABEL: words:
// CDNA: v_add_i32 {{.*}} clamp
// CDNA: v_sub_u32{{.*}} clamp
// PTX-LABEL: .entry words
// PTX: add.s32
// PTX: selp.b32
cube.kernel @words(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<i32> -> i32
  %b = cube.load %y[%i] : !cube.array<i32> -> i32
  %s = cube.addsi_sat %a, %b : i32
  %d = cube.subui_sat %s, %b : i32
  cube.store %d, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// x86 has saturating sums for vectors of i8 and i16.
// CPU-LABEL: shorts:
// CPU: vpaddsw
// CPU: vpsubusw
cube.kernel @shorts(%x: !cube.array<i16>, %y: !cube.array<i16>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] inbounds : !cube.array<i16> -> i16
  %b = cube.load %y[%i] inbounds : !cube.array<i16> -> i16
  %s = cube.addsi_sat %a, %b : i16
  %d = cube.subui_sat %s, %b : i16
  cube.store %d, %x[%i] inbounds : i16, !cube.array<i16>
  cube.return
}

// A kernel with plane operations is vectorised before LLVM, and keeps the sums as vectors.
// PLANES-LABEL: planes:
// PLANES: vpaddsb
cube.kernel @planes(%x: !cube.array<i8>, %y: !cube.array<i8>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<i8> -> i8
  %b = cube.load %y[%i] : !cube.array<i8> -> i8
  %m = cube.plane_reduce maxsi %a : i8
  %s = cube.addsi_sat %a, %b : i8
  %t = arith.minsi %s, %m : i8
  cube.store %t, %x[%i] : i8, !cube.array<i8>
  cube.return
}
