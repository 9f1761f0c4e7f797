// A bundle contains code objects for several chips. Each code object begins at a page boundary, after the entry names.
// RUN: cubec %s --emit bundle --target amdgpu:gfx942 --target amdgpu:gfx1100-wave64 -o %t.hipfb
// RUN: head -c 300 %t.hipfb | tr '\000' '.' | FileCheck %s
// RUN: tail -c +4097 %t.hipfb | llvm-readelf --file-header - | FileCheck %s --check-prefix=FIRST
// RUN: not cubec %s --emit bundle --target amdgpu:gfx942 --target nvptx:sm_80 -o %t.hipfb 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not cubec %s --emit bundle --target amdgpu:gfx1100 --target amdgpu:gfx1100-wave64 -o %t.none.hipfb 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not cubec %s --emit bundle --target amdgpu:gfx942 --target amdgpu:gfx942 -o %t.none.hipfb 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: test ! -e %t.none.hipfb

// CHECK: __CLANG_OFFLOAD_BUNDLE__
// CHECK-SAME: host-x86_64-unknown-linux-gnu-
// CHECK-SAME: hipv4-amdgcn-amd-amdhsa--gfx942
// CHECK-SAME: hipv4-amdgcn-amd-amdhsa--gfx1100
// CHECK-NOT: wave64
// FIRST: Flags: 0x54c, gfx942
// OTHER: error[CUBE0508]
// TWICE: error[CUBE0508]: two targets of the bundle are for processor {{gfx1100|gfx942}}
cube.kernel @k(%x: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}
