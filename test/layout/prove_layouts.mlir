// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(prove-layouts))' --cube-remarks=analysis,missed 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS --input-file=%t.said

// Eight halves at multiples of 16 bytes, because the argument is aligned; the last cube can be out of bounds.
// CHECK-LABEL: @tile
// CHECK: layout.load {{.*}} {layout.proof = {alignment = 16 : i64, packed = 64 : i64, partial = array<i64: 1>, sectors = 64 : i64, width = 8 : i64}}
// SAYS: an access moves 8 elements: 16 bytes at a multiple of 16 bytes
// SAYS: coordinate 1 can exceed its mode; the access gets a predicate
// SAYS: the first plane accesses 64 sectors; packed elements would need 64
// The alignment of %y is unknown: elements are accessed one by one, and the sectors are not packed.
// CHECK: layout.load {{.*}} {layout.proof = {alignment = 2 : i64, packed = 64 : i64, partial = array<i64: 1>, sectors = 512 : i64, width = 1 : i64}}
// SAYS: missed [prove-layouts:alignment] the address of the first line is only known to be a multiple of 2; set cube.align = 16 on the argument, which the launch checks
cube.kernel @tile(%x: !cube.array<f16> {cube.align = 16 : i32}, %y: !cube.array<f16>) cube_dim(128) {
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %l = layout.constant #layout.layout<((8,4),(32,4),32):((1,512),(8,2048),8192)>
  %v = layout.view %x, %l : !cube.array<f16> -> !layout.view<f16>
  %e = layout.load %v at <(_,?,?)>(%unit, %cube) : !layout.view<f16> -> vector<32xf16>
  %w = layout.view %y, %l : !cube.array<f16> -> !layout.view<f16>
  %f = layout.load %w at <(_,?,?)>(%unit, %cube) : !layout.view<f16> -> vector<32xf16>
  cube.return
}

// All accesses are in bounds. A column of a square matrix is in one bank; the swizzle distributes it over all banks.
// CHECK-LABEL: @banks
// CHECK: layout.store {{.*}} {layout.proof = {alignment = 4 : i64, below = 998 : i64, cycles = 32 : i64, degree = 32 : i64, width = 1 : i64}}
// SAYS: missed [prove-layouts:banks] a bank conflict of degree 32, 32 cycles; compute a swizzle or a padding with `synthesize` of cube-layout
// CHECK: layout.store {{.*}} {layout.proof = {alignment = 4 : i64, below = 1024 : i64, cycles = 1 : i64, degree = 1 : i64, width = 1 : i64}}
// SAYS: no bank conflict, 1 cycles
cube.kernel @banks() cube_dim(32) {
  %unit = cube.topology unit_pos_x
  %m = cube.alloc : !cube.shared<1024 x i32>
  %l = layout.constant #layout.layout<(32,32):(32,1)>
  %v = layout.view %m, %l : !cube.shared<1024 x i32> -> !layout.view<i32>
  layout.store %unit, %v at <(?,5)>(%unit) : i32, !layout.view<i32>
  %s = layout.constant #layout.layout<Sw<5,0,5> o 0 o (32,32):(32,1)>
  %w = layout.view %m, %s : !cube.shared<1024 x i32> -> !layout.view<i32>
  layout.store %unit, %w at <(?,5)>(%unit) : i32, !layout.view<i32>
  cube.return
}

// The last tiles of columns extend beyond the end of ragged axis 0; rows never do, nor does a tile with constant index.
// CHECK-LABEL: @ragged
// CHECK: layout.load {{.*}} {layout.proof = {alignment = 4 : i64, {{.*}}ragged = array<i64: 0>, {{.*}}width = 1 : i64}}
// CHECK: layout.load {{.*}} {layout.proof = {alignment = 4 : i64, below = 124 : i64, packed = 1 : i64, sectors = 2 : i64, width = 1 : i64}}
cube.kernel @ragged(%x: !cube.array<f32>) cube_dim(8) {
  %unit = cube.topology unit_pos_x
  %cube = cube.topology cube_pos_x
  %l = layout.constant #layout.layout<(8,13):(16,1)>
  %t = layout.constant #layout.layout<(2,4):(1,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %z = layout.zipped_divide %v by modes %t ragged : !layout.view<f32>
  %a = layout.load %z at <(?,?)>(%unit, %cube) : !layout.view<f32> -> f32
  %b = layout.load %z at <(?,(3,2))>(%unit) : !layout.view<f32> -> f32
  cube.return
}
