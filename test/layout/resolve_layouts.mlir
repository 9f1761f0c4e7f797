// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(prove-layouts,resolve-layouts))' --split-input-file | FileCheck %s

// A unit of 128 is in bounds: no predicate, no remainder for the outermost digit, and the promised arithmetic is `nuw`.
// CHECK-LABEL: @promised
// CHECK: %[[D:.*]] = cube.remui %[[UNIT:.*]], %c32
// CHECK: %[[R:.*]] = cube.divui %[[UNIT]], %c32
// CHECK: %[[A:.*]] = arith.muli %[[D]], %{{.*}} overflow<nuw>
// CHECK: %[[B:.*]] = arith.muli %[[R]], %{{.*}} overflow<nuw>
// CHECK: %[[I:.*]] = arith.addi %[[A]], %[[B]] overflow<nuw>
// CHECK: cube.load %x[%[[I]]] inbounds {align = 16 : i32} : !cube.array<f16> -> vector<8xf16>
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c2048{{.*}} overflow<nuw>
// CHECK: cube.load %x[%[[J]]] inbounds {align = 16 : i32} : !cube.array<f16> -> vector<8xf16>
// CHECK-NOT: scf.if
cube.kernel @promised(%x: !cube.array<f16> {cube.align = 16 : i32}) cube_dim(128) unchecked {
  %unit = cube.topology unit_pos_x
  %l = layout.constant #layout.layout<((8,2),(32,4)):((1,2048),(8,8192))>
  %v = layout.view %x, %l : !cube.array<f16> -> !layout.view<f16>
  %e = layout.load %v at <(_,?)>(%unit) {layout.width = 8 : i64, layout.align = 16 : i64} : !layout.view<f16> -> vector<16xf16>
  cube.return
}

// -----

// A checked access with an unknown coordinate needs one predicate; a wide access needs another for its last element.
// CHECK-LABEL: @checked
// CHECK: %[[IN:.*]] = arith.cmpi ult, %i, %c8
// CHECK: %[[LEN:.*]] = cube.len %x
// CHECK: %[[END:.*]] = cube.subui_sat %[[LEN]], %c3
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[AT:.*]], %[[END]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[IN]], %[[FITS]]
// CHECK: scf.if %[[BOTH]] -> (vector<4xf32>) {
// CHECK:   cube.load %x[%[[AT]]] inbounds {align = 16 : i32}
// CHECK: } else {
// CHECK:   arith.select %[[IN]]
// CHECK-COUNT-4: cube.load %x[%{{.*}}] checked
// CHECK:   vector.from_elements
cube.kernel @checked(%x: !cube.array<f32> {cube.align = 16 : i32}, %i: i32) {
  %l = layout.constant #layout.layout<(8,4):(8,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %e = layout.load %v at <(?,_)>(%i) {layout.width = 4 : i64, layout.align = 16 : i64} : !layout.view<f32> -> vector<4xf32>
  cube.return
}

// -----

// Shared memory has a known size, and the range of the index proves the access in bounds.
// CHECK-LABEL: @shared
// CHECK: arith.xori
// CHECK-NOT: arith.select
// CHECK: cube.store %{{.*}}, %{{.*}}[%{{.*}}] inbounds by range
cube.kernel @shared() cube_dim(32) {
  %unit = cube.topology unit_pos_x
  %m = cube.alloc : !cube.shared<1024 x i32>
  %l = layout.constant #layout.layout<Sw<5,0,5> o 0 o (32,32):(32,1)>
  %v = layout.view %m, %l : !cube.shared<1024 x i32> -> !layout.view<i32>
  layout.store %unit, %v at <(?,5)>(%unit) : i32, !layout.view<i32>
  cube.return
}

// -----

// Rows divide evenly, columns are ragged: only columns have a predicate. The second tile of columns is complete.
// CHECK-LABEL: @ragged
// CHECK-COUNT-1: arith.cmpi ult, %{{.*}}, %c13
// CHECK: arith.select
// CHECK: cube.load %x[%{{.*}}] checked
// CHECK-NOT: arith.cmpi
// CHECK: cube.load %x[%{{.*}}] checked
cube.kernel @ragged(%x: !cube.array<f32>, %i: i32) cube_dim(4) {
  %unit = cube.topology unit_pos_x
  %l = layout.constant #layout.layout<(8,13):(16,1)>
  %t = layout.constant #layout.layout<(2,4):(1,1)>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %z = layout.zipped_divide %v by modes %t ragged : !layout.view<f32>
  %a = layout.load %z at <((1,?),(2,3))>(%unit) : !layout.view<f32> -> f32
  %b = layout.load %z at <((1,?),(2,1))>(%unit) : !layout.view<f32> -> f32
  cube.return
}

// -----

// Strides known only at launch: the index saturates in 64 bits, and an index of 2^32 or more is out of bounds.
// CHECK-LABEL: @pitch
// CHECK: %[[P:.*]] = arith.extui %n : i32 to i64
// CHECK: arith.muli %{{.*}}, %[[P]]
// CHECK: cube.addui_sat
// CHECK: arith.cmpi ult, %{{.*}}, %c4294967296
// CHECK: cube.load %x[%{{.*}}] checked
cube.kernel @pitch(%x: !cube.array<f32>, %m: i32, %n: i32, %i: i32, %j: i32) {
  %l = layout.make #layout.layout<(?,?):(?,1)>(%m, %n, %n)
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  %e = layout.load %v at <(?,?)>(%i, %j) : !layout.view<f32> -> f32
  cube.return
}

// -----

// Converts an index to coordinates, and computes the size of a layout.
// CHECK-LABEL: @coordinates
// CHECK: %[[R:.*]] = cube.remui %i, %c4
// CHECK: %[[Q:.*]] = cube.divui %i, %c4
// CHECK: cube.store %[[R]], %y[%[[Q]]]
// CHECK: %[[S:.*]] = arith.muli %n, %c8
// CHECK: cube.store %[[S]], %y[%i]
cube.kernel @coordinates(%y: !cube.array<i32>, %i: i32, %n: i32) {
  %l = layout.constant #layout.layout<(4,8):(8,1)>
  %r, %q = layout.idx2crd %i, %l : i32, i32
  cube.store %r, %y[%q] : i32, !cube.array<i32>
  %m = layout.make #layout.layout<(?,8):(8,1)>(%n)
  %s = layout.size %m : !layout.layout
  cube.store %s, %y[%i] : i32, !cube.array<i32>
  cube.return
}
