// -g adds line tables for this text and for another front end's source; the machine code is unchanged.
// RUN: cubec %s -g --target amdgpu:gfx942 -o %t.hsaco
// RUN: llvm-objdump -d -l %t.hsaco | FileCheck %s --check-prefixes=CHECK,LINES
// RUN: env CUBE_DEBUG=1 cubec %s --target amdgpu:gfx1100 -o %t.32.hsaco
// RUN: llvm-objdump -d -l %t.32.hsaco | FileCheck %s --check-prefix=LINES
// RUN: cubec %s --target amdgpu:gfx942 -o %t.plain.hsaco
// RUN: llvm-objdump -d -l %t.plain.hsaco | FileCheck %s --implicit-check-not=line_tables.mlir:

// CHECK-LABEL: <scale>:
// CHECK: s_load_dwordx2
// LINES: line_tables.mlir:[[#@LINE+11]]
// CHECK: s_mul_i32
// LINES: line_tables.mlir:[[#@LINE+13]]
// CHECK: global_load_dword v
// LINES: scale.rs:12
// CHECK: v_mul_f32
// LINES: line_tables.mlir:[[#@LINE+11]]
// CHECK: global_store_dword v
// CHECK: s_endpgm

cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %r = arith.mulf %v, %factor : f32 loc("scale.rs":12:7)
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}
