// Total integer operations on all pairs of edge values, for every width: x / 0 = x, x % 0 = 0, MIN / -1 = MIN, shift
// amounts modulo the width. Row k of the result is operation k. Lines of four are computed as vectors.
// SKIP: wgpu@i8,i16,lines8 it has no i8 and no i16
// SKIP: wgpu@i64,lines64 it has no i64
// RUN-ARGS: --kernel i8 --arg a=%S/data/integers.a8.npy --arg b=%S/data/integers.b8.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r8.npy --cube-count 11
// RUN-ARGS: --kernel i16 --arg a=%S/data/integers.a16.npy --arg b=%S/data/integers.b16.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r16.npy --cube-count 11
// RUN-ARGS: --kernel i32 --arg a=%S/data/integers.a32.npy --arg b=%S/data/integers.b32.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r32.npy --cube-count 11
// RUN-ARGS: --kernel i64 --arg a=%S/data/integers.a64.npy --arg b=%S/data/integers.b64.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r64.npy --cube-count 11
// RUN-ARGS: --kernel lines8 --arg a=%S/data/integers.a8.npy --arg b=%S/data/integers.b8.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r8.npy --cube-count 3
// RUN-ARGS: --kernel lines32 --arg a=%S/data/integers.a32.npy --arg b=%S/data/integers.b32.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r32.npy --cube-count 3
// RUN-ARGS: --kernel lines64 --arg a=%S/data/integers.a64.npy --arg b=%S/data/integers.b64.npy --arg r=zeros:7x324 \
// RUN-ARGS:   --check r=%S/data/integers.r64.npy --cube-count 3

cube.kernel @i8(%a: !cube.array<i8> {cube.host = "u8"}, %b: !cube.array<i8> {cube.host = "u8"}, %r: !cube.array<i8> {cube.host = "u8"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i8>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i8> -> i8
    %y = cube.load %b[%i] : !cube.array<i8> -> i8
    %divui = cube.divui %x, %y : i8
    cube.store %divui, %r[%i] : i8, !cube.array<i8>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : i8
    cube.store %divsi, %r[%at1] : i8, !cube.array<i8>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : i8
    cube.store %remui, %r[%at2] : i8, !cube.array<i8>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : i8
    cube.store %remsi, %r[%at3] : i8, !cube.array<i8>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : i8
    cube.store %shl, %r[%at4] : i8, !cube.array<i8>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : i8
    cube.store %shrui, %r[%at5] : i8, !cube.array<i8>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : i8
    cube.store %shrsi, %r[%at6] : i8, !cube.array<i8>
  }
  cube.return
}

cube.kernel @i16(%a: !cube.array<i16> {cube.host = "u16"}, %b: !cube.array<i16> {cube.host = "u16"}, %r: !cube.array<i16> {cube.host = "u16"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i16>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i16> -> i16
    %y = cube.load %b[%i] : !cube.array<i16> -> i16
    %divui = cube.divui %x, %y : i16
    cube.store %divui, %r[%i] : i16, !cube.array<i16>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : i16
    cube.store %divsi, %r[%at1] : i16, !cube.array<i16>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : i16
    cube.store %remui, %r[%at2] : i16, !cube.array<i16>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : i16
    cube.store %remsi, %r[%at3] : i16, !cube.array<i16>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : i16
    cube.store %shl, %r[%at4] : i16, !cube.array<i16>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : i16
    cube.store %shrui, %r[%at5] : i16, !cube.array<i16>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : i16
    cube.store %shrsi, %r[%at6] : i16, !cube.array<i16>
  }
  cube.return
}

cube.kernel @i32(%a: !cube.array<i32> {cube.host = "u32"}, %b: !cube.array<i32> {cube.host = "u32"}, %r: !cube.array<i32> {cube.host = "u32"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i32> -> i32
    %y = cube.load %b[%i] : !cube.array<i32> -> i32
    %divui = cube.divui %x, %y : i32
    cube.store %divui, %r[%i] : i32, !cube.array<i32>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : i32
    cube.store %divsi, %r[%at1] : i32, !cube.array<i32>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : i32
    cube.store %remui, %r[%at2] : i32, !cube.array<i32>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : i32
    cube.store %remsi, %r[%at3] : i32, !cube.array<i32>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : i32
    cube.store %shl, %r[%at4] : i32, !cube.array<i32>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : i32
    cube.store %shrui, %r[%at5] : i32, !cube.array<i32>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : i32
    cube.store %shrsi, %r[%at6] : i32, !cube.array<i32>
  }
  cube.return
}

cube.kernel @i64(%a: !cube.array<i64> {cube.host = "u64"}, %b: !cube.array<i64> {cube.host = "u64"}, %r: !cube.array<i64> {cube.host = "u64"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i64>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i64> -> i64
    %y = cube.load %b[%i] : !cube.array<i64> -> i64
    %divui = cube.divui %x, %y : i64
    cube.store %divui, %r[%i] : i64, !cube.array<i64>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : i64
    cube.store %divsi, %r[%at1] : i64, !cube.array<i64>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : i64
    cube.store %remui, %r[%at2] : i64, !cube.array<i64>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : i64
    cube.store %remsi, %r[%at3] : i64, !cube.array<i64>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : i64
    cube.store %shl, %r[%at4] : i64, !cube.array<i64>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : i64
    cube.store %shrui, %r[%at5] : i64, !cube.array<i64>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : i64
    cube.store %shrsi, %r[%at6] : i64, !cube.array<i64>
  }
  cube.return
}

cube.kernel @lines8(%a: !cube.array<i8, 4> {cube.host = "u8"}, %b: !cube.array<i8, 4> {cube.host = "u8"}, %r: !cube.array<i8, 4> {cube.host = "u8"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i8, 4>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i8, 4> -> vector<4xi8>
    %y = cube.load %b[%i] : !cube.array<i8, 4> -> vector<4xi8>
    %divui = cube.divui %x, %y : vector<4xi8>
    cube.store %divui, %r[%i] : vector<4xi8>, !cube.array<i8, 4>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : vector<4xi8>
    cube.store %divsi, %r[%at1] : vector<4xi8>, !cube.array<i8, 4>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : vector<4xi8>
    cube.store %remui, %r[%at2] : vector<4xi8>, !cube.array<i8, 4>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : vector<4xi8>
    cube.store %remsi, %r[%at3] : vector<4xi8>, !cube.array<i8, 4>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : vector<4xi8>
    cube.store %shl, %r[%at4] : vector<4xi8>, !cube.array<i8, 4>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : vector<4xi8>
    cube.store %shrui, %r[%at5] : vector<4xi8>, !cube.array<i8, 4>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : vector<4xi8>
    cube.store %shrsi, %r[%at6] : vector<4xi8>, !cube.array<i8, 4>
  }
  cube.return
}

cube.kernel @lines32(%a: !cube.array<i32, 4> {cube.host = "u32"}, %b: !cube.array<i32, 4> {cube.host = "u32"}, %r: !cube.array<i32, 4> {cube.host = "u32"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i32, 4>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i32, 4> -> vector<4xi32>
    %y = cube.load %b[%i] : !cube.array<i32, 4> -> vector<4xi32>
    %divui = cube.divui %x, %y : vector<4xi32>
    cube.store %divui, %r[%i] : vector<4xi32>, !cube.array<i32, 4>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : vector<4xi32>
    cube.store %divsi, %r[%at1] : vector<4xi32>, !cube.array<i32, 4>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : vector<4xi32>
    cube.store %remui, %r[%at2] : vector<4xi32>, !cube.array<i32, 4>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : vector<4xi32>
    cube.store %remsi, %r[%at3] : vector<4xi32>, !cube.array<i32, 4>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : vector<4xi32>
    cube.store %shl, %r[%at4] : vector<4xi32>, !cube.array<i32, 4>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : vector<4xi32>
    cube.store %shrui, %r[%at5] : vector<4xi32>, !cube.array<i32, 4>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : vector<4xi32>
    cube.store %shrsi, %r[%at6] : vector<4xi32>, !cube.array<i32, 4>
  }
  cube.return
}

cube.kernel @lines64(%a: !cube.array<i64, 4> {cube.host = "u64"}, %b: !cube.array<i64, 4> {cube.host = "u64"}, %r: !cube.array<i64, 4> {cube.host = "u64"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %n = cube.len %a : !cube.array<i64, 4>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<i64, 4> -> vector<4xi64>
    %y = cube.load %b[%i] : !cube.array<i64, 4> -> vector<4xi64>
    %divui = cube.divui %x, %y : vector<4xi64>
    cube.store %divui, %r[%i] : vector<4xi64>, !cube.array<i64, 4>
    %at1 = arith.addi %i, %n : i32
    %divsi = cube.divsi %x, %y : vector<4xi64>
    cube.store %divsi, %r[%at1] : vector<4xi64>, !cube.array<i64, 4>
    %at2 = arith.addi %at1, %n : i32
    %remui = cube.remui %x, %y : vector<4xi64>
    cube.store %remui, %r[%at2] : vector<4xi64>, !cube.array<i64, 4>
    %at3 = arith.addi %at2, %n : i32
    %remsi = cube.remsi %x, %y : vector<4xi64>
    cube.store %remsi, %r[%at3] : vector<4xi64>, !cube.array<i64, 4>
    %at4 = arith.addi %at3, %n : i32
    %shl = cube.shl %x, %y : vector<4xi64>
    cube.store %shl, %r[%at4] : vector<4xi64>, !cube.array<i64, 4>
    %at5 = arith.addi %at4, %n : i32
    %shrui = cube.shrui %x, %y : vector<4xi64>
    cube.store %shrui, %r[%at5] : vector<4xi64>, !cube.array<i64, 4>
    %at6 = arith.addi %at5, %n : i32
    %shrsi = cube.shrsi %x, %y : vector<4xi64>
    cube.store %shrsi, %r[%at6] : vector<4xi64>, !cube.array<i64, 4>
  }
  cube.return
}
