// Counted loops with the largest distance of bounds, or with a step of at least half of the type's range, with constant
// and dynamic bounds. The counter never wraps around: a step beyond the largest value ends the loop. Each loop hashes
// its counters and counts the negative ones. A Python model computed the expected values.
// SKIP: wgpu it has no integers of 8, 16 and 64 bits, which are in the only kernel
// RUN-ARGS: --arg y=zeros:26 --arg s8_0=-128 --arg s8_1=0 --arg s8_2=1 --arg s8_3=127 --arg s8_4=100 --arg s16_0=-32768 --arg s16_1=32767 --arg s16_2=20000 --arg s32_0=-2000000000 --arg s32_1=2000000000 --arg s32_2=800000000 --arg s64_0=-9223372036854775808 --arg s64_1=9223372036854775807 --arg s64_2=4611686018427387904 --arg u8_0=0 --arg u8_1=255 --arg u8_2=1 --arg u8_3=100 --arg u8_4=200 --arg u8_5=8 --arg u8_6=128 --arg u8_7=3 --arg u16_0=0 --arg u16_1=65535 --arg u16_2=40000 --arg u32_0=0 --arg u32_1=2594967296 --arg u32_2=1500000000 --arg u32_3=7 --arg u32_4=4294967295 --arg u32_5=2147483648 --arg u64_0=1 --arg u64_1=18446744073709551615 --arg u64_2=9223372036854775808 --cube-count 1 --check y=%S/data/loop_bounds.y.npy
cube.kernel @loop_bounds(%y: !cube.array<i32>, %s8_0: i8, %s8_1: i8, %s8_2: i8, %s8_3: i8, %s8_4: i8, %s16_0: i16,
                         %s16_1: i16, %s16_2: i16, %s32_0: i32, %s32_1: i32, %s32_2: i32, %s64_0: i64, %s64_1: i64,
                         %s64_2: i64, %u8_0: i8 {cube.host = "u8"}, %u8_1: i8 {cube.host = "u8"},
                         %u8_2: i8 {cube.host = "u8"}, %u8_3: i8 {cube.host = "u8"}, %u8_4: i8 {cube.host = "u8"},
                         %u8_5: i8 {cube.host = "u8"}, %u8_6: i8 {cube.host = "u8"}, %u8_7: i8 {cube.host = "u8"},
                         %u16_0: i16 {cube.host = "u16"}, %u16_1: i16 {cube.host = "u16"},
                         %u16_2: i16 {cube.host = "u16"}, %u32_0: i32 {cube.host = "u32"},
                         %u32_1: i32 {cube.host = "u32"}, %u32_2: i32 {cube.host = "u32"},
                         %u32_3: i32 {cube.host = "u32"}, %u32_4: i32 {cube.host = "u32"},
                         %u32_5: i32 {cube.host = "u32"}, %u64_0: i64 {cube.host = "u64"},
                         %u64_1: i64 {cube.host = "u64"}, %u64_2: i64 {cube.host = "u64"}) cube_dim(1) {
  %c0 = arith.constant 0 : i32
  %c31 = arith.constant 31 : i32
  %zero8 = arith.constant 0 : i8
  %zero16 = arith.constant 0 : i16
  %zero32 = arith.constant 0 : i32
  %zero64 = arith.constant 0 : i64
  %shift = arith.constant 40 : i64
  // The distance of the bounds is 128, which i8 cannot represent.
  %from0 = arith.constant -128 : i8
  %to0 = arith.constant 0 : i8
  %step0 = arith.constant 1 : i8
  %h0 = scf.for %i = %from0 to %to0 step %step0 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at0 = arith.constant 0 : i32
  cube.store %h0, %y[%at0] : i32, !cube.array<i32>
  // The sum of the counter and the step exceeds the largest value of the type.
  %from1 = arith.constant -128 : i8
  %to1 = arith.constant 127 : i8
  %step1 = arith.constant 100 : i8
  %h1 = scf.for %i = %from1 to %to1 step %step1 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at1 = arith.constant 1 : i32
  cube.store %h1, %y[%at1] : i32, !cube.array<i32>
  %from2 = arith.constant -32768 : i16
  %to2 = arith.constant 32767 : i16
  %step2 = arith.constant 20000 : i16
  %h2 = scf.for %i = %from2 to %to2 step %step2 iter_args(%h = %c0) -> (i32) : i16 {
    %v = arith.extui %i : i16 to i32
    %n = arith.cmpi slt, %i, %zero16 : i16
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at2 = arith.constant 2 : i32
  cube.store %h2, %y[%at2] : i32, !cube.array<i32>
  %from3 = arith.constant -2000000000 : i32
  %to3 = arith.constant 2000000000 : i32
  %step3 = arith.constant 800000000 : i32
  %h3 = scf.for %i = %from3 to %to3 step %step3 iter_args(%h = %c0) -> (i32) : i32 {
    %n = arith.cmpi slt, %i, %zero32 : i32
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %i : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at3 = arith.constant 3 : i32
  cube.store %h3, %y[%at3] : i32, !cube.array<i32>
  %from4 = arith.constant -9223372036854775808 : i64
  %to4 = arith.constant 9223372036854775807 : i64
  %step4 = arith.constant 4611686018427387904 : i64
  %h4 = scf.for %i = %from4 to %to4 step %step4 iter_args(%h = %c0) -> (i32) : i64 {
    %upper = cube.shrui %i, %shift : i64
    %v = arith.trunci %upper : i64 to i32
    %n = arith.cmpi slt, %i, %zero64 : i64
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at4 = arith.constant 4 : i32
  cube.store %h4, %y[%at4] : i32, !cube.array<i32>
  // Half of the counters are negative if read as signed integers.
  %from5 = arith.constant 0 : i8
  %to5 = arith.constant -1 : i8
  %step5 = arith.constant 1 : i8
  %h5 = scf.for unsigned %i = %from5 to %to5 step %step5 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at5 = arith.constant 5 : i32
  cube.store %h5, %y[%at5] : i32, !cube.array<i32>
  %from6 = arith.constant 100 : i8
  %to6 = arith.constant -56 : i8
  %step6 = arith.constant 1 : i8
  %h6 = scf.for unsigned %i = %from6 to %to6 step %step6 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at6 = arith.constant 6 : i32
  cube.store %h6, %y[%at6] : i32, !cube.array<i32>
  // The step is negative if read as a signed integer.
  %from7 = arith.constant 0 : i8
  %to7 = arith.constant 8 : i8
  %step7 = arith.constant -128 : i8
  %h7 = scf.for unsigned %i = %from7 to %to7 step %step7 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at7 = arith.constant 7 : i32
  cube.store %h7, %y[%at7] : i32, !cube.array<i32>
  %from8 = arith.constant 3 : i8
  %to8 = arith.constant -1 : i8
  %step8 = arith.constant -1 : i8
  %h8 = scf.for unsigned %i = %from8 to %to8 step %step8 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at8 = arith.constant 8 : i32
  cube.store %h8, %y[%at8] : i32, !cube.array<i32>
  %from9 = arith.constant 0 : i16
  %to9 = arith.constant -1 : i16
  %step9 = arith.constant -25536 : i16
  %h9 = scf.for unsigned %i = %from9 to %to9 step %step9 iter_args(%h = %c0) -> (i32) : i16 {
    %v = arith.extui %i : i16 to i32
    %n = arith.cmpi slt, %i, %zero16 : i16
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at9 = arith.constant 9 : i32
  cube.store %h9, %y[%at9] : i32, !cube.array<i32>
  %from10 = arith.constant 0 : i32
  %to10 = arith.constant -1700000000 : i32
  %step10 = arith.constant 1500000000 : i32
  %h10 = scf.for unsigned %i = %from10 to %to10 step %step10 iter_args(%h = %c0) -> (i32) : i32 {
    %n = arith.cmpi slt, %i, %zero32 : i32
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %i : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at10 = arith.constant 10 : i32
  cube.store %h10, %y[%at10] : i32, !cube.array<i32>
  %from11 = arith.constant 7 : i32
  %to11 = arith.constant -1 : i32
  %step11 = arith.constant -2147483648 : i32
  %h11 = scf.for unsigned %i = %from11 to %to11 step %step11 iter_args(%h = %c0) -> (i32) : i32 {
    %n = arith.cmpi slt, %i, %zero32 : i32
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %i : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at11 = arith.constant 11 : i32
  cube.store %h11, %y[%at11] : i32, !cube.array<i32>
  %from12 = arith.constant 1 : i64
  %to12 = arith.constant -1 : i64
  %step12 = arith.constant -9223372036854775808 : i64
  %h12 = scf.for unsigned %i = %from12 to %to12 step %step12 iter_args(%h = %c0) -> (i32) : i64 {
    %upper = cube.shrui %i, %shift : i64
    %v = arith.trunci %upper : i64 to i32
    %n = arith.cmpi slt, %i, %zero64 : i64
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at12 = arith.constant 12 : i32
  cube.store %h12, %y[%at12] : i32, !cube.array<i32>
  // The same bounds and steps, known only at launch.
  %h13 = scf.for %i = %s8_0 to %s8_1 step %s8_2 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at13 = arith.constant 13 : i32
  cube.store %h13, %y[%at13] : i32, !cube.array<i32>
  %h14 = scf.for %i = %s8_0 to %s8_3 step %s8_4 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at14 = arith.constant 14 : i32
  cube.store %h14, %y[%at14] : i32, !cube.array<i32>
  %h15 = scf.for %i = %s16_0 to %s16_1 step %s16_2 iter_args(%h = %c0) -> (i32) : i16 {
    %v = arith.extui %i : i16 to i32
    %n = arith.cmpi slt, %i, %zero16 : i16
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at15 = arith.constant 15 : i32
  cube.store %h15, %y[%at15] : i32, !cube.array<i32>
  %h16 = scf.for %i = %s32_0 to %s32_1 step %s32_2 iter_args(%h = %c0) -> (i32) : i32 {
    %n = arith.cmpi slt, %i, %zero32 : i32
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %i : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at16 = arith.constant 16 : i32
  cube.store %h16, %y[%at16] : i32, !cube.array<i32>
  %h17 = scf.for %i = %s64_0 to %s64_1 step %s64_2 iter_args(%h = %c0) -> (i32) : i64 {
    %upper = cube.shrui %i, %shift : i64
    %v = arith.trunci %upper : i64 to i32
    %n = arith.cmpi slt, %i, %zero64 : i64
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at17 = arith.constant 17 : i32
  cube.store %h17, %y[%at17] : i32, !cube.array<i32>
  %h18 = scf.for unsigned %i = %u8_0 to %u8_1 step %u8_2 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at18 = arith.constant 18 : i32
  cube.store %h18, %y[%at18] : i32, !cube.array<i32>
  %h19 = scf.for unsigned %i = %u8_3 to %u8_4 step %u8_2 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at19 = arith.constant 19 : i32
  cube.store %h19, %y[%at19] : i32, !cube.array<i32>
  %h20 = scf.for unsigned %i = %u8_0 to %u8_5 step %u8_6 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at20 = arith.constant 20 : i32
  cube.store %h20, %y[%at20] : i32, !cube.array<i32>
  %h21 = scf.for unsigned %i = %u8_7 to %u8_1 step %u8_1 iter_args(%h = %c0) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.cmpi slt, %i, %zero8 : i8
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at21 = arith.constant 21 : i32
  cube.store %h21, %y[%at21] : i32, !cube.array<i32>
  %h22 = scf.for unsigned %i = %u16_0 to %u16_1 step %u16_2 iter_args(%h = %c0) -> (i32) : i16 {
    %v = arith.extui %i : i16 to i32
    %n = arith.cmpi slt, %i, %zero16 : i16
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at22 = arith.constant 22 : i32
  cube.store %h22, %y[%at22] : i32, !cube.array<i32>
  %h23 = scf.for unsigned %i = %u32_0 to %u32_1 step %u32_2 iter_args(%h = %c0) -> (i32) : i32 {
    %n = arith.cmpi slt, %i, %zero32 : i32
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %i : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at23 = arith.constant 23 : i32
  cube.store %h23, %y[%at23] : i32, !cube.array<i32>
  %h24 = scf.for unsigned %i = %u32_3 to %u32_4 step %u32_5 iter_args(%h = %c0) -> (i32) : i32 {
    %n = arith.cmpi slt, %i, %zero32 : i32
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %i : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at24 = arith.constant 24 : i32
  cube.store %h24, %y[%at24] : i32, !cube.array<i32>
  %h25 = scf.for unsigned %i = %u64_0 to %u64_1 step %u64_2 iter_args(%h = %c0) -> (i32) : i64 {
    %upper = cube.shrui %i, %shift : i64
    %v = arith.trunci %upper : i64 to i32
    %n = arith.cmpi slt, %i, %zero64 : i64
    %m = arith.extui %n : i1 to i32
    %p = arith.muli %h, %c31 : i32
    %q = arith.addi %p, %v : i32
    %r = arith.addi %q, %m : i32
    scf.yield %r : i32
  }
  %at25 = arith.constant 25 : i32
  cube.store %h25, %y[%at25] : i32, !cube.array<i32>
  cube.return
}
