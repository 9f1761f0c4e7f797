// Plane operations on planes of 8, 16 and 64 lanes, on elements of 8, 16 and 64 bits: on all lanes, under a mask, in a
// divergent loop, and in a partial plane. data/plane_widths.py generates the file and the expected values.
// SKIP: cuda its planes have 32 lanes, and these values are those of others
// SKIP: wgpu it has no i8
// SKIP: wgpu-spirv plane operations require uniform control flow
// RUN-ARGS: --kernel i8_8 --arg x=%S/data/plane_widths.i8_8.x.npy --arg r=zeros:286 --arg f=zeros:104 --cube-count 2 --check r=%S/data/plane_widths.i8_8.r.npy --check f=%S/data/plane_widths.i8_8.f.npy
// RUN-ARGS: --kernel i8_16 --arg x=%S/data/plane_widths.i8_16.x.npy --arg r=zeros:462 --arg f=zeros:168 --cube-count 2 --check r=%S/data/plane_widths.i8_16.r.npy --check f=%S/data/plane_widths.i8_16.f.npy
// RUN-ARGS: --kernel i8_64 --arg x=%S/data/plane_widths.i8_64.x.npy --arg r=zeros:1518 --arg f=zeros:552 --cube-count 2 --check r=%S/data/plane_widths.i8_64.r.npy --check f=%S/data/plane_widths.i8_64.f.npy
// RUN-ARGS: --kernel f16_8 --arg x=%S/data/plane_widths.f16_8.x.npy --arg r=zeros:286 --arg f=zeros:104 --cube-count 2 --check r=%S/data/plane_widths.f16_8.r.npy --check f=%S/data/plane_widths.f16_8.f.npy
// RUN-ARGS: --kernel f16_16 --arg x=%S/data/plane_widths.f16_16.x.npy --arg r=zeros:462 --arg f=zeros:168 --cube-count 2 --check r=%S/data/plane_widths.f16_16.r.npy --check f=%S/data/plane_widths.f16_16.f.npy
// RUN-ARGS: --kernel f16_64 --arg x=%S/data/plane_widths.f16_64.x.npy --arg r=zeros:1518 --arg f=zeros:552 --cube-count 2 --check r=%S/data/plane_widths.f16_64.r.npy --check f=%S/data/plane_widths.f16_64.f.npy
// RUN-ARGS: --kernel f64_8 --arg x=%S/data/plane_widths.f64_8.x.npy --arg r=zeros:286 --arg f=zeros:104 --cube-count 2 --check r=%S/data/plane_widths.f64_8.r.npy --check f=%S/data/plane_widths.f64_8.f.npy
// RUN-ARGS: --kernel f64_16 --arg x=%S/data/plane_widths.f64_16.x.npy --arg r=zeros:462 --arg f=zeros:168 --cube-count 2 --check r=%S/data/plane_widths.f64_16.r.npy --check f=%S/data/plane_widths.f64_16.f.npy
// RUN-ARGS: --kernel f64_64 --arg x=%S/data/plane_widths.f64_64.x.npy --arg r=zeros:1518 --arg f=zeros:552 --cube-count 2 --check r=%S/data/plane_widths.f64_64.r.npy --check f=%S/data/plane_widths.f64_64.f.npy

cube.kernel @i8_8(%x: !cube.array<i8>, %r: !cube.array<i8>, %f: !cube.array<i32>) cube_dim(13) attributes {cube.plane_dim = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0 : i8
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  %positive = arith.cmpi sgt, %v, %nothing : i8
  %r0 = cube.plane_reduce addi %v : i8
  %r1 = cube.plane_reduce minsi %v : i8
  %r2 = cube.plane_scan inclusive addi %v : i8
  %r3 = cube.plane_scan exclusive maxsi %v : i8
  %r4 = cube.plane_shuffle xor %v, %three : i8
  %r5 = cube.plane_shuffle down %v, %lane : i8
  %r6 = cube.plane_broadcast %v, %three : i8
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (i8, i8, i8, i32, i1) {
    %a = cube.plane_reduce maxsi %v : i8
    %b = cube.plane_scan exclusive addi %v : i8
    %c = cube.plane_shuffle xor %v, %one : i8
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : i8, i8, i8, i32, i1
  } else {
    %a = cube.plane_reduce addi %v : i8
    %b = cube.plane_scan inclusive minsi %v : i8
    %c = cube.plane_shuffle down %v, %three : i8
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : i8, i8, i8, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (i8) : i32 {
    %low = cube.plane_reduce minsi %a : i8
    %next = arith.addi %a, %low : i8
    scf.yield %next : i8
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : i8, !cube.array<i8>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : i8, !cube.array<i8>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : i8, !cube.array<i8>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : i8, !cube.array<i8>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : i8, !cube.array<i8>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : i8, !cube.array<i8>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : i8, !cube.array<i8>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : i8, !cube.array<i8>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : i8, !cube.array<i8>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : i8, !cube.array<i8>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : i8, !cube.array<i8>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @i8_16(%x: !cube.array<i8>, %r: !cube.array<i8>, %f: !cube.array<i32>) cube_dim(21) attributes {cube.plane_dim = 16 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0 : i8
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  %positive = arith.cmpi sgt, %v, %nothing : i8
  %r0 = cube.plane_reduce addi %v : i8
  %r1 = cube.plane_reduce minsi %v : i8
  %r2 = cube.plane_scan inclusive addi %v : i8
  %r3 = cube.plane_scan exclusive maxsi %v : i8
  %r4 = cube.plane_shuffle xor %v, %three : i8
  %r5 = cube.plane_shuffle down %v, %lane : i8
  %r6 = cube.plane_broadcast %v, %three : i8
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (i8, i8, i8, i32, i1) {
    %a = cube.plane_reduce maxsi %v : i8
    %b = cube.plane_scan exclusive addi %v : i8
    %c = cube.plane_shuffle xor %v, %one : i8
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : i8, i8, i8, i32, i1
  } else {
    %a = cube.plane_reduce addi %v : i8
    %b = cube.plane_scan inclusive minsi %v : i8
    %c = cube.plane_shuffle down %v, %three : i8
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : i8, i8, i8, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (i8) : i32 {
    %low = cube.plane_reduce minsi %a : i8
    %next = arith.addi %a, %low : i8
    scf.yield %next : i8
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : i8, !cube.array<i8>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : i8, !cube.array<i8>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : i8, !cube.array<i8>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : i8, !cube.array<i8>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : i8, !cube.array<i8>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : i8, !cube.array<i8>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : i8, !cube.array<i8>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : i8, !cube.array<i8>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : i8, !cube.array<i8>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : i8, !cube.array<i8>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : i8, !cube.array<i8>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @i8_64(%x: !cube.array<i8>, %r: !cube.array<i8>, %f: !cube.array<i32>) cube_dim(69) attributes {cube.plane_dim = 64 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0 : i8
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  %positive = arith.cmpi sgt, %v, %nothing : i8
  %r0 = cube.plane_reduce addi %v : i8
  %r1 = cube.plane_reduce minsi %v : i8
  %r2 = cube.plane_scan inclusive addi %v : i8
  %r3 = cube.plane_scan exclusive maxsi %v : i8
  %r4 = cube.plane_shuffle xor %v, %three : i8
  %r5 = cube.plane_shuffle down %v, %lane : i8
  %r6 = cube.plane_broadcast %v, %three : i8
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (i8, i8, i8, i32, i1) {
    %a = cube.plane_reduce maxsi %v : i8
    %b = cube.plane_scan exclusive addi %v : i8
    %c = cube.plane_shuffle xor %v, %one : i8
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : i8, i8, i8, i32, i1
  } else {
    %a = cube.plane_reduce addi %v : i8
    %b = cube.plane_scan inclusive minsi %v : i8
    %c = cube.plane_shuffle down %v, %three : i8
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : i8, i8, i8, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (i8) : i32 {
    %low = cube.plane_reduce minsi %a : i8
    %next = arith.addi %a, %low : i8
    scf.yield %next : i8
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : i8, !cube.array<i8>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : i8, !cube.array<i8>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : i8, !cube.array<i8>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : i8, !cube.array<i8>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : i8, !cube.array<i8>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : i8, !cube.array<i8>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : i8, !cube.array<i8>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : i8, !cube.array<i8>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : i8, !cube.array<i8>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : i8, !cube.array<i8>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : i8, !cube.array<i8>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @f16_8(%x: !cube.array<f16>, %r: !cube.array<f16>, %f: !cube.array<i32>) cube_dim(13) attributes {cube.plane_dim = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0.0 : f16
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %positive = arith.cmpf ogt, %v, %nothing : f16
  %r0 = cube.plane_reduce addf %v : f16
  %r1 = cube.plane_reduce minf %v : f16
  %r2 = cube.plane_scan inclusive addf %v : f16
  %r3 = cube.plane_scan exclusive maxf %v : f16
  %r4 = cube.plane_shuffle xor %v, %three : f16
  %r5 = cube.plane_shuffle down %v, %lane : f16
  %r6 = cube.plane_broadcast %v, %three : f16
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (f16, f16, f16, i32, i1) {
    %a = cube.plane_reduce maxf %v : f16
    %b = cube.plane_scan exclusive addf %v : f16
    %c = cube.plane_shuffle xor %v, %one : f16
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f16, f16, f16, i32, i1
  } else {
    %a = cube.plane_reduce addf %v : f16
    %b = cube.plane_scan inclusive minf %v : f16
    %c = cube.plane_shuffle down %v, %three : f16
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f16, f16, f16, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (f16) : i32 {
    %low = cube.plane_reduce minf %a : f16
    %next = arith.addf %a, %low : f16
    scf.yield %next : f16
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : f16, !cube.array<f16>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : f16, !cube.array<f16>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : f16, !cube.array<f16>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : f16, !cube.array<f16>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : f16, !cube.array<f16>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : f16, !cube.array<f16>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : f16, !cube.array<f16>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : f16, !cube.array<f16>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : f16, !cube.array<f16>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : f16, !cube.array<f16>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : f16, !cube.array<f16>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @f16_16(%x: !cube.array<f16>, %r: !cube.array<f16>, %f: !cube.array<i32>) cube_dim(21) attributes {cube.plane_dim = 16 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0.0 : f16
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %positive = arith.cmpf ogt, %v, %nothing : f16
  %r0 = cube.plane_reduce addf %v : f16
  %r1 = cube.plane_reduce minf %v : f16
  %r2 = cube.plane_scan inclusive addf %v : f16
  %r3 = cube.plane_scan exclusive maxf %v : f16
  %r4 = cube.plane_shuffle xor %v, %three : f16
  %r5 = cube.plane_shuffle down %v, %lane : f16
  %r6 = cube.plane_broadcast %v, %three : f16
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (f16, f16, f16, i32, i1) {
    %a = cube.plane_reduce maxf %v : f16
    %b = cube.plane_scan exclusive addf %v : f16
    %c = cube.plane_shuffle xor %v, %one : f16
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f16, f16, f16, i32, i1
  } else {
    %a = cube.plane_reduce addf %v : f16
    %b = cube.plane_scan inclusive minf %v : f16
    %c = cube.plane_shuffle down %v, %three : f16
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f16, f16, f16, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (f16) : i32 {
    %low = cube.plane_reduce minf %a : f16
    %next = arith.addf %a, %low : f16
    scf.yield %next : f16
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : f16, !cube.array<f16>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : f16, !cube.array<f16>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : f16, !cube.array<f16>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : f16, !cube.array<f16>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : f16, !cube.array<f16>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : f16, !cube.array<f16>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : f16, !cube.array<f16>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : f16, !cube.array<f16>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : f16, !cube.array<f16>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : f16, !cube.array<f16>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : f16, !cube.array<f16>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @f16_64(%x: !cube.array<f16>, %r: !cube.array<f16>, %f: !cube.array<i32>) cube_dim(69) attributes {cube.plane_dim = 64 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0.0 : f16
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %positive = arith.cmpf ogt, %v, %nothing : f16
  %r0 = cube.plane_reduce addf %v : f16
  %r1 = cube.plane_reduce minf %v : f16
  %r2 = cube.plane_scan inclusive addf %v : f16
  %r3 = cube.plane_scan exclusive maxf %v : f16
  %r4 = cube.plane_shuffle xor %v, %three : f16
  %r5 = cube.plane_shuffle down %v, %lane : f16
  %r6 = cube.plane_broadcast %v, %three : f16
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (f16, f16, f16, i32, i1) {
    %a = cube.plane_reduce maxf %v : f16
    %b = cube.plane_scan exclusive addf %v : f16
    %c = cube.plane_shuffle xor %v, %one : f16
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f16, f16, f16, i32, i1
  } else {
    %a = cube.plane_reduce addf %v : f16
    %b = cube.plane_scan inclusive minf %v : f16
    %c = cube.plane_shuffle down %v, %three : f16
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f16, f16, f16, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (f16) : i32 {
    %low = cube.plane_reduce minf %a : f16
    %next = arith.addf %a, %low : f16
    scf.yield %next : f16
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : f16, !cube.array<f16>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : f16, !cube.array<f16>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : f16, !cube.array<f16>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : f16, !cube.array<f16>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : f16, !cube.array<f16>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : f16, !cube.array<f16>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : f16, !cube.array<f16>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : f16, !cube.array<f16>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : f16, !cube.array<f16>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : f16, !cube.array<f16>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : f16, !cube.array<f16>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @f64_8(%x: !cube.array<f64>, %r: !cube.array<f64>, %f: !cube.array<i32>) cube_dim(13) attributes {cube.plane_dim = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0.0 : f64
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f64> -> f64
  %positive = arith.cmpf ogt, %v, %nothing : f64
  %r0 = cube.plane_reduce addf %v : f64
  %r1 = cube.plane_reduce minf %v : f64
  %r2 = cube.plane_scan inclusive addf %v : f64
  %r3 = cube.plane_scan exclusive maxf %v : f64
  %r4 = cube.plane_shuffle xor %v, %three : f64
  %r5 = cube.plane_shuffle down %v, %lane : f64
  %r6 = cube.plane_broadcast %v, %three : f64
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (f64, f64, f64, i32, i1) {
    %a = cube.plane_reduce maxf %v : f64
    %b = cube.plane_scan exclusive addf %v : f64
    %c = cube.plane_shuffle xor %v, %one : f64
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f64, f64, f64, i32, i1
  } else {
    %a = cube.plane_reduce addf %v : f64
    %b = cube.plane_scan inclusive minf %v : f64
    %c = cube.plane_shuffle down %v, %three : f64
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f64, f64, f64, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (f64) : i32 {
    %low = cube.plane_reduce minf %a : f64
    %next = arith.addf %a, %low : f64
    scf.yield %next : f64
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : f64, !cube.array<f64>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : f64, !cube.array<f64>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : f64, !cube.array<f64>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : f64, !cube.array<f64>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : f64, !cube.array<f64>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : f64, !cube.array<f64>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : f64, !cube.array<f64>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : f64, !cube.array<f64>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : f64, !cube.array<f64>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : f64, !cube.array<f64>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : f64, !cube.array<f64>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @f64_16(%x: !cube.array<f64>, %r: !cube.array<f64>, %f: !cube.array<i32>) cube_dim(21) attributes {cube.plane_dim = 16 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0.0 : f64
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f64> -> f64
  %positive = arith.cmpf ogt, %v, %nothing : f64
  %r0 = cube.plane_reduce addf %v : f64
  %r1 = cube.plane_reduce minf %v : f64
  %r2 = cube.plane_scan inclusive addf %v : f64
  %r3 = cube.plane_scan exclusive maxf %v : f64
  %r4 = cube.plane_shuffle xor %v, %three : f64
  %r5 = cube.plane_shuffle down %v, %lane : f64
  %r6 = cube.plane_broadcast %v, %three : f64
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (f64, f64, f64, i32, i1) {
    %a = cube.plane_reduce maxf %v : f64
    %b = cube.plane_scan exclusive addf %v : f64
    %c = cube.plane_shuffle xor %v, %one : f64
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f64, f64, f64, i32, i1
  } else {
    %a = cube.plane_reduce addf %v : f64
    %b = cube.plane_scan inclusive minf %v : f64
    %c = cube.plane_shuffle down %v, %three : f64
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f64, f64, f64, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (f64) : i32 {
    %low = cube.plane_reduce minf %a : f64
    %next = arith.addf %a, %low : f64
    scf.yield %next : f64
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : f64, !cube.array<f64>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : f64, !cube.array<f64>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : f64, !cube.array<f64>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : f64, !cube.array<f64>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : f64, !cube.array<f64>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : f64, !cube.array<f64>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : f64, !cube.array<f64>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : f64, !cube.array<f64>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : f64, !cube.array<f64>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : f64, !cube.array<f64>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : f64, !cube.array<f64>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @f64_64(%x: !cube.array<f64>, %r: !cube.array<f64>, %f: !cube.array<i32>) cube_dim(69) attributes {cube.plane_dim = 64 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = arith.constant 0.0 : f64
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<f64> -> f64
  %positive = arith.cmpf ogt, %v, %nothing : f64
  %r0 = cube.plane_reduce addf %v : f64
  %r1 = cube.plane_reduce minf %v : f64
  %r2 = cube.plane_scan inclusive addf %v : f64
  %r3 = cube.plane_scan exclusive maxf %v : f64
  %r4 = cube.plane_shuffle xor %v, %three : f64
  %r5 = cube.plane_shuffle down %v, %lane : f64
  %r6 = cube.plane_broadcast %v, %three : f64
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> (f64, f64, f64, i32, i1) {
    %a = cube.plane_reduce maxf %v : f64
    %b = cube.plane_scan exclusive addf %v : f64
    %c = cube.plane_shuffle xor %v, %one : f64
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f64, f64, f64, i32, i1
  } else {
    %a = cube.plane_reduce addf %v : f64
    %b = cube.plane_scan inclusive minf %v : f64
    %c = cube.plane_shuffle down %v, %three : f64
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : f64, f64, f64, i32, i1
  }
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> (f64) : i32 {
    %low = cube.plane_reduce minf %a : f64
    %next = arith.addf %a, %low : f64
    scf.yield %next : f64
  }
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant 11 : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
  %nat_0 = arith.constant 0 : i32
  %at_0 = arith.addi %at, %nat_0 : i32
  cube.store %r0, %r[%at_0] : f64, !cube.array<f64>
  %nat_1 = arith.constant 1 : i32
  %at_1 = arith.addi %at, %nat_1 : i32
  cube.store %r1, %r[%at_1] : f64, !cube.array<f64>
  %nat_2 = arith.constant 2 : i32
  %at_2 = arith.addi %at, %nat_2 : i32
  cube.store %r2, %r[%at_2] : f64, !cube.array<f64>
  %nat_3 = arith.constant 3 : i32
  %at_3 = arith.addi %at, %nat_3 : i32
  cube.store %r3, %r[%at_3] : f64, !cube.array<f64>
  %nat_4 = arith.constant 4 : i32
  %at_4 = arith.addi %at, %nat_4 : i32
  cube.store %r4, %r[%at_4] : f64, !cube.array<f64>
  %nat_5 = arith.constant 5 : i32
  %at_5 = arith.addi %at, %nat_5 : i32
  cube.store %r5, %r[%at_5] : f64, !cube.array<f64>
  %nat_6 = arith.constant 6 : i32
  %at_6 = arith.addi %at, %nat_6 : i32
  cube.store %r6, %r[%at_6] : f64, !cube.array<f64>
  %nat_7 = arith.constant 7 : i32
  %at_7 = arith.addi %at, %nat_7 : i32
  cube.store %part#0, %r[%at_7] : f64, !cube.array<f64>
  %nat_8 = arith.constant 8 : i32
  %at_8 = arith.addi %at, %nat_8 : i32
  cube.store %part#1, %r[%at_8] : f64, !cube.array<f64>
  %nat_9 = arith.constant 9 : i32
  %at_9 = arith.addi %at, %nat_9 : i32
  cube.store %part#2, %r[%at_9] : f64, !cube.array<f64>
  %nat_10 = arith.constant 10 : i32
  %at_10 = arith.addi %at, %nat_10 : i32
  cube.store %r10, %r[%at_10] : f64, !cube.array<f64>
  %nfat_0 = arith.constant 0 : i32
  %fat_0 = arith.addi %fat, %nfat_0 : i32
  cube.store %f0, %f[%fat_0] : i32, !cube.array<i32>
  %nfat_1 = arith.constant 1 : i32
  %fat_1 = arith.addi %fat, %nfat_1 : i32
  cube.store %f1, %f[%fat_1] : i32, !cube.array<i32>
  %nfat_2 = arith.constant 2 : i32
  %fat_2 = arith.addi %fat, %nfat_2 : i32
  cube.store %f2, %f[%fat_2] : i32, !cube.array<i32>
  %nfat_3 = arith.constant 3 : i32
  %fat_3 = arith.addi %fat, %nfat_3 : i32
  cube.store %part#3, %f[%fat_3] : i32, !cube.array<i32>
  cube.return
}
