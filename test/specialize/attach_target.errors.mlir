// RUN: split-file %s %t
// RUN: cube-opt %t/unknown.mlir --attach-target=target=nvptx:sm_91 --verify-diagnostics
// RUN: cube-opt %t/backend.mlir --attach-target=target=vulkan --verify-diagnostics
// RUN: cube-opt %t/other.mlir --attach-target=target=cpu:x86-64 | not cube-opt --attach-target=target=nvptx:sm_80 2>&1 | FileCheck %t/other.mlir
// RUN: cube-opt %t/other.mlir --attach-target=target=cpu:x86-64 -o %t/described.mlir
// RUN: not cubec %t/described.mlir --target nvptx:sm_80 -o - 2>&1 | FileCheck %t/other.mlir
// RUN: cube-opt %t/missing.mlir --kernel-to-nvvm --verify-diagnostics
// RUN: cube-opt %t/wave64.mlir --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx942},cube.kernel(lower-plane-ops-to-nvvm))' --verify-diagnostics
// RUN: cube-opt %t/fields.mlir --split-input-file --verify-diagnostics

//--- unknown.mlir
// expected-error@below CUBE0351 {name = "nvptx:sm_91"}
module {}

//--- backend.mlir
// expected-error@below CUBE0351 {name = "vulkan"}
module {}

//--- other.mlir
// CHECK: the module has target cpu:x86-64, but target nvptx:sm_80 is requested; compile for cpu:x86-64, or remove cube.target if no pass has run yet
// CHECK: CUBE0350
cube.kernel @k(%x: !cube.array<i32>) {
  cube.return
}

//--- missing.mlir
// expected-error@below CUBE0352 {pass = "kernel-to-nvvm", attribute = "cube.target"}
module {
  cube.kernel @k(%x: !cube.array<i32>) {
    cube.return
  }
}

//--- wave64.mlir
// expected-error@below CUBE0353 {chip = "amdgpu:gfx942", widths = "[64]", lanes = "64"}
cube.kernel @k(%x: i32) {
  cube.return
}

//--- fields.mlir
// expected-error@below CUBE0153 {why = "it is of version 1, this compiler reads version 3: describe the target again with `--attach-target`"}
module attributes {cube.target = #cube.target<{version = 1}>} {}

// -----

// expected-error@below {{unknown field `lanes`}}
module attributes {cube.target = #cube.target<{version = 3, lanes = 32}>} {}

// -----

// expected-error@below CUBE0153 {why = "missing field `backend`"}
module attributes {cube.target = #cube.target<{version = 3}>} {}

// -----

// expected-error@below CUBE0153 {why = "a field is neither a number, a text, true or false, nor a list or dictionary of them"}
module attributes {cube.target = #cube.target<{version = i32}>} {}
