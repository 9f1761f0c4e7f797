// RUN: cube-opt %s --attach-target=target=nvptx:sm_80 | FileCheck %s
// RUN: cube-opt %s --attach-target=target=nvptx:sm_80 | cube-opt --attach-target=target=nvptx:sm_80 | FileCheck %s
// RUN: cube-opt %s --attach-target | FileCheck %s --check-prefix=DEFAULT
// RUN: cube-opt %s --compile-to=optimize --target=amdgpu:gfx942 | FileCheck %s --check-prefix=PIPELINE

// A second run finds the same target description and changes nothing.
// CHECK: #target = #cube.target<{
// CHECK-SAME: backend = "nvptx"
// CHECK-SAME: chip = "sm_80"
// CHECK-SAME: planes = {mask_bits = 32 : i64, operations = ["elect", "vote", "ballot", "reduce", "scan", "broadcast", "shuffle", "barrier"], width = 32 : i64, widths = [32]}
// CHECK-SAME: shared = {address_bits = 32 : i64, bytes = 166912 : i64, llvm = 3 : i64, static_bytes = 49152 : i64}
// CHECK-SAME: version = 3
// CHECK: module attributes {cube.target = #target}

// DEFAULT: backend = "cpu"
// DEFAULT-SAME: chip = "native"

// PIPELINE: chip = "gfx942"
// PIPELINE-SAME: widths = [64]
cube.kernel @k(%x: !cube.array<i32>) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}
