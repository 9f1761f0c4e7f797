// A code object contains all data for a launcher: arguments, hidden arguments, sizes, plane width, kernel descriptor.
// RUN: cubec %s --target amdgpu:gfx942 -o %t.hsaco
// RUN: llvm-readelf --file-header --notes --dyn-symbols %t.hsaco | FileCheck %s --check-prefixes=CHECK,WAVE64
// RUN: llvm-objdump -d --disassemble-symbols=k %t.hsaco | FileCheck %s --check-prefix=CODE
// RUN: cubec %s --target amdgpu:gfx1100 -o %t.32.hsaco
// RUN: llvm-readelf --file-header --notes --dyn-symbols %t.32.hsaco | FileCheck %s --check-prefixes=CHECK,WAVE32
// RUN: cubec %s --target amdgpu:gfx1100-wave64 -o %t.64.hsaco
// RUN: llvm-readelf --file-header --notes --dyn-symbols %t.64.hsaco | FileCheck %s --check-prefixes=CHECK,BOTH64

// CHECK:       OS/ABI: AMDGPU - HSA
// CHECK:       ABI Version: 3
// CHECK:       Type: DYN (Shared object file)
// WAVE64:      Flags: 0x54c, gfx942
// WAVE32:      Flags: 0x41, gfx1100
// BOTH64:      Flags: 0x41, gfx1100
// CHECK-DAG:   {{OBJECT +GLOBAL +(DEFAULT|PROTECTED) +[0-9]+ k\.kd$}}
// CHECK-DAG:   {{FUNC +GLOBAL +PROTECTED +[0-9]+ k$}}
// CHECK:       .args:
// CHECK-NEXT:    - .address_space: global
// CHECK-NEXT:      .name: x
// CHECK-NEXT:      .offset: 0
// CHECK-NEXT:      .size: 8
// CHECK-NEXT:      .value_kind: global_buffer
// CHECK-NEXT:    - .name: x_len
// CHECK-NEXT:      .offset: 8
// CHECK-NEXT:      .size: 8
// CHECK-NEXT:      .value_kind: by_value
// CHECK-NEXT:    - .name: h
// CHECK-NEXT:      .offset: 16
// CHECK-NEXT:      .size: 2
// CHECK-NEXT:      .value_kind: by_value
// CHECK-NEXT:    - .name: d
// CHECK-NEXT:      .offset: 24
// CHECK-NEXT:      .size: 8
// CHECK-NEXT:      .value_kind: by_value
// CHECK-NEXT:    - .offset: 32
// CHECK-NEXT:      .size: 4
// CHECK-NEXT:      .value_kind: hidden_block_count_x
// CHECK:       .group_segment_fixed_size: 128
// CHECK:       .kernarg_segment_size: 288
// CHECK:       .max_flat_workgroup_size: 96
// CHECK-NEXT:  .name: k
// CHECK:       .reqd_workgroup_size:
// CHECK-NEXT:    - 32
// CHECK-NEXT:    - 3
// CHECK-NEXT:    - 1
// CHECK:       .sgpr_spill_count: 0
// CHECK:       .symbol: k.kd
// CHECK:       .vgpr_spill_count: 0
// WAVE64:      .wavefront_size: 64
// WAVE32:      .wavefront_size: 32
// BOTH64:      .wavefront_size: 64
// CHECK:     amdhsa.target: amdgcn-amd-amdhsa--gfx
// CHECK:     amdhsa.version:
// CHECK-NEXT:  - 1
// CHECK-NEXT:  - 2

// CODE: s_barrier
cube.kernel @k(%x: !cube.array<f64>, %h: f16, %d: f64) cube_dim(32, 3) {
  %0 = arith.constant 0 : i32
  %s = cube.alloc : !cube.shared<16 x f64>
  %u = cube.topology unit_pos
  %few = arith.constant 16 : i32
  %inside = arith.cmpi ult, %u, %few : i32
  %w = arith.extf %h : f16 to f64
  %v = arith.mulf %w, %d : f64
  scf.if %inside {
    cube.store %v, %s[%u] : f64, !cube.shared<16 x f64>
  }
  cube.sync cube
  %i = cube.topology absolute_pos
  %c = cube.topology cube_count
  %last = arith.subi %few, %u : i32
  %r = cube.load %s[%last] : !cube.shared<16 x f64> -> f64
  %n = arith.uitofp %c : i32 to f64
  %t = arith.addf %r, %n : f64
  cube.store %t, %x[%i] : f64, !cube.array<f64>
  cube.return
}
