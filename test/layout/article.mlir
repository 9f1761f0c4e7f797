// Compares the article's thread-value kernel with a kernel that uses explicit lines of eight. The thread-value kernel
// must not need more address operations, and it must use 16-byte accesses.
// RUN: cubec %s --kernel tv --target nvptx:sm_90 -o %t.tv && FileCheck %s --input-file=%t.tv
// RUN: cubec %s --kernel hand --target nvptx:sm_90 -o %t.hand && FileCheck %s --input-file=%t.hand
// RUN: grep -cE "^\s(shl|shr|and|or|add.s|mul|mad|cvt|div|rem|sub|bfe)" %t.tv > %t.tv.count
// RUN: grep -cE "^\s(shl|shr|and|or|add.s|mul|mad|cvt|div|rem|sub|bfe)" %t.hand > %t.hand.count
// RUN: test $(cat %t.tv.count) -le $(cat %t.hand.count)

// The loop has four loads of each input, four stores, one increment of each address, and no other address operations.
// CHECK: [[LOOP:\$L__BB[0-9_]+]]:
// CHECK-COUNT-8: ld.global.v4
// CHECK-NOT: {{^\s(shl|shr|and|or|mul|mad|cvt|div|rem|sub|bfe)}}
// CHECK-COUNT-4: st.global.v4
// CHECK-NOT: {{^\s(shl|shr|and|or|mul|mad|div|rem|sub|bfe)}}
// CHECK: bra {{.*}}[[LOOP]]

// A matrix of 64 by 8192; each cube iterates over the tiles of one row of tiles.
cube.kernel @tv(%a: !cube.array<f16> {cube.align = 16 : i32, cube.noalias}, %b: !cube.array<f16> {cube.align = 16 : i32, cube.noalias},
                %c: !cube.array<f16> {cube.align = 16 : i32, cube.noalias}) cube_dim(128) unchecked {
  %matrix = layout.constant #layout.layout<(64,8192):(8192,1)>
  %threads = layout.constant #layout.layout<(4,32):(32,1)>
  %values = layout.constant #layout.layout<(4,8):(8,1)>
  %tv, %tile = layout.make_tv %threads, %values
  %ma = layout.view %a, %matrix : !cube.array<f16> -> !layout.view<f16>
  %mb = layout.view %b, %matrix : !cube.array<f16> -> !layout.view<f16>
  %mc = layout.view %c, %matrix : !cube.array<f16> -> !layout.view<f16>
  %ga = layout.zipped_divide %ma by modes %tile : !layout.view<f16>
  %gb = layout.zipped_divide %mb by modes %tile : !layout.view<f16>
  %gc = layout.zipped_divide %mc by modes %tile : !layout.view<f16>
  %row = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %32 = arith.constant 32 : i32
  scf.for %column = %0 to %32 step %1 : i32 {
    %ba = layout.slice %ga at <((_,_),(?,?))>(%row, %column) : !layout.view<f16>
    %bb = layout.slice %gb at <((_,_),(?,?))>(%row, %column) : !layout.view<f16>
    %bc = layout.slice %gc at <((_,_),(?,?))>(%row, %column) : !layout.view<f16>
    %ta = layout.compose %ba, %tv : !layout.view<f16>
    %tb = layout.compose %bb, %tv : !layout.view<f16>
    %tc = layout.compose %bc, %tv : !layout.view<f16>
    %x = layout.load %ta at <(?,_)>(%unit) : !layout.view<f16> -> vector<32xf16>
    %y = layout.load %tb at <(?,_)>(%unit) : !layout.view<f16> -> vector<32xf16>
    %z = arith.addf %x, %y : vector<32xf16>
    layout.store %z, %tc at <(?,_)>(%unit) : vector<32xf16>, !layout.view<f16>
  }
  cube.return
}

// Line at row r (of 16 in a tile), column tile t: ((cube * 16 + unit / 32 * 4 + r) * 32 + t) * 32 + unit % 32.
cube.kernel @hand(%a: !cube.array<f16, 8> {cube.noalias}, %b: !cube.array<f16, 8> {cube.noalias}, %c: !cube.array<f16, 8> {cube.noalias}) cube_dim(128) unchecked {
  %cube = cube.topology cube_pos_x
  %unit = cube.topology unit_pos_x
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %4 = arith.constant 4 : i32
  %16 = arith.constant 16 : i32
  %32 = arith.constant 32 : i32
  %1024 = arith.constant 1024 : i32
  %2048 = arith.constant 2048 : i32
  %3072 = arith.constant 3072 : i32
  %plane = cube.divui %unit, %32 : i32
  %lane = cube.remui %unit, %32 : i32
  %first = arith.muli %cube, %16 overflow<nuw> : i32
  %own = arith.muli %plane, %4 overflow<nuw> : i32
  %row = arith.addi %first, %own overflow<nuw> : i32
  %line = arith.muli %row, %1024 overflow<nuw> : i32
  %start = arith.addi %line, %lane overflow<nuw> : i32
  scf.for %t = %0 to %32 step %1 : i32 {
    %at = arith.muli %t, %32 overflow<nuw> : i32
    %i0 = arith.addi %start, %at overflow<nuw> : i32
    %i1 = arith.addi %i0, %1024 overflow<nuw> : i32
    %i2 = arith.addi %i0, %2048 overflow<nuw> : i32
    %i3 = arith.addi %i0, %3072 overflow<nuw> : i32
    %a0 = cube.load %a[%i0] : !cube.array<f16, 8> -> vector<8xf16>
    %a1 = cube.load %a[%i1] : !cube.array<f16, 8> -> vector<8xf16>
    %a2 = cube.load %a[%i2] : !cube.array<f16, 8> -> vector<8xf16>
    %a3 = cube.load %a[%i3] : !cube.array<f16, 8> -> vector<8xf16>
    %b0 = cube.load %b[%i0] : !cube.array<f16, 8> -> vector<8xf16>
    %b1 = cube.load %b[%i1] : !cube.array<f16, 8> -> vector<8xf16>
    %b2 = cube.load %b[%i2] : !cube.array<f16, 8> -> vector<8xf16>
    %b3 = cube.load %b[%i3] : !cube.array<f16, 8> -> vector<8xf16>
    %c0 = arith.addf %a0, %b0 : vector<8xf16>
    %c1 = arith.addf %a1, %b1 : vector<8xf16>
    %c2 = arith.addf %a2, %b2 : vector<8xf16>
    %c3 = arith.addf %a3, %b3 : vector<8xf16>
    cube.store %c0, %c[%i0] : vector<8xf16>, !cube.array<f16, 8>
    cube.store %c1, %c[%i1] : vector<8xf16>, !cube.array<f16, 8>
    cube.store %c2, %c[%i2] : vector<8xf16>, !cube.array<f16, 8>
    cube.store %c3, %c[%i3] : vector<8xf16>, !cube.array<f16, 8>
  }
  cube.return
}
