// Total integer operations with constant right operands, which canonicalisation and LLVM simplify: 7 of each.
// RUN-ARGS: --arg a=%S/data/constants.a.npy --arg r=zeros:64x49 --check r=%S/data/constants.r.npy --cube-count 2
cube.kernel @constants(%a: !cube.array<i32> {cube.host = "u32"}, %r: !cube.array<i32> {cube.host = "u32"}) cube_dim(32) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i32> -> i32
  %49 = arith.constant 49 : i32
  %start = arith.muli %i, %49 : i32
  %d0 = arith.constant 0 : i32
  %k0 = arith.constant 0 : i32
  %at0 = arith.addi %start, %k0 : i32
  %r0 = cube.divui %x, %d0 : i32
  cube.store %r0, %r[%at0] : i32, !cube.array<i32>
  %k1 = arith.constant 1 : i32
  %at1 = arith.addi %start, %k1 : i32
  %r1 = cube.divsi %x, %d0 : i32
  cube.store %r1, %r[%at1] : i32, !cube.array<i32>
  %k2 = arith.constant 2 : i32
  %at2 = arith.addi %start, %k2 : i32
  %r2 = cube.remui %x, %d0 : i32
  cube.store %r2, %r[%at2] : i32, !cube.array<i32>
  %k3 = arith.constant 3 : i32
  %at3 = arith.addi %start, %k3 : i32
  %r3 = cube.remsi %x, %d0 : i32
  cube.store %r3, %r[%at3] : i32, !cube.array<i32>
  %k4 = arith.constant 4 : i32
  %at4 = arith.addi %start, %k4 : i32
  %r4 = cube.shl %x, %d0 : i32
  cube.store %r4, %r[%at4] : i32, !cube.array<i32>
  %k5 = arith.constant 5 : i32
  %at5 = arith.addi %start, %k5 : i32
  %r5 = cube.shrui %x, %d0 : i32
  cube.store %r5, %r[%at5] : i32, !cube.array<i32>
  %k6 = arith.constant 6 : i32
  %at6 = arith.addi %start, %k6 : i32
  %r6 = cube.shrsi %x, %d0 : i32
  cube.store %r6, %r[%at6] : i32, !cube.array<i32>
  %d1 = arith.constant 1 : i32
  %k7 = arith.constant 7 : i32
  %at7 = arith.addi %start, %k7 : i32
  %r7 = cube.divui %x, %d1 : i32
  cube.store %r7, %r[%at7] : i32, !cube.array<i32>
  %k8 = arith.constant 8 : i32
  %at8 = arith.addi %start, %k8 : i32
  %r8 = cube.divsi %x, %d1 : i32
  cube.store %r8, %r[%at8] : i32, !cube.array<i32>
  %k9 = arith.constant 9 : i32
  %at9 = arith.addi %start, %k9 : i32
  %r9 = cube.remui %x, %d1 : i32
  cube.store %r9, %r[%at9] : i32, !cube.array<i32>
  %k10 = arith.constant 10 : i32
  %at10 = arith.addi %start, %k10 : i32
  %r10 = cube.remsi %x, %d1 : i32
  cube.store %r10, %r[%at10] : i32, !cube.array<i32>
  %k11 = arith.constant 11 : i32
  %at11 = arith.addi %start, %k11 : i32
  %r11 = cube.shl %x, %d1 : i32
  cube.store %r11, %r[%at11] : i32, !cube.array<i32>
  %k12 = arith.constant 12 : i32
  %at12 = arith.addi %start, %k12 : i32
  %r12 = cube.shrui %x, %d1 : i32
  cube.store %r12, %r[%at12] : i32, !cube.array<i32>
  %k13 = arith.constant 13 : i32
  %at13 = arith.addi %start, %k13 : i32
  %r13 = cube.shrsi %x, %d1 : i32
  cube.store %r13, %r[%at13] : i32, !cube.array<i32>
  %d2 = arith.constant 3 : i32
  %k14 = arith.constant 14 : i32
  %at14 = arith.addi %start, %k14 : i32
  %r14 = cube.divui %x, %d2 : i32
  cube.store %r14, %r[%at14] : i32, !cube.array<i32>
  %k15 = arith.constant 15 : i32
  %at15 = arith.addi %start, %k15 : i32
  %r15 = cube.divsi %x, %d2 : i32
  cube.store %r15, %r[%at15] : i32, !cube.array<i32>
  %k16 = arith.constant 16 : i32
  %at16 = arith.addi %start, %k16 : i32
  %r16 = cube.remui %x, %d2 : i32
  cube.store %r16, %r[%at16] : i32, !cube.array<i32>
  %k17 = arith.constant 17 : i32
  %at17 = arith.addi %start, %k17 : i32
  %r17 = cube.remsi %x, %d2 : i32
  cube.store %r17, %r[%at17] : i32, !cube.array<i32>
  %k18 = arith.constant 18 : i32
  %at18 = arith.addi %start, %k18 : i32
  %r18 = cube.shl %x, %d2 : i32
  cube.store %r18, %r[%at18] : i32, !cube.array<i32>
  %k19 = arith.constant 19 : i32
  %at19 = arith.addi %start, %k19 : i32
  %r19 = cube.shrui %x, %d2 : i32
  cube.store %r19, %r[%at19] : i32, !cube.array<i32>
  %k20 = arith.constant 20 : i32
  %at20 = arith.addi %start, %k20 : i32
  %r20 = cube.shrsi %x, %d2 : i32
  cube.store %r20, %r[%at20] : i32, !cube.array<i32>
  %d3 = arith.constant -1 : i32
  %k21 = arith.constant 21 : i32
  %at21 = arith.addi %start, %k21 : i32
  %r21 = cube.divui %x, %d3 : i32
  cube.store %r21, %r[%at21] : i32, !cube.array<i32>
  %k22 = arith.constant 22 : i32
  %at22 = arith.addi %start, %k22 : i32
  %r22 = cube.divsi %x, %d3 : i32
  cube.store %r22, %r[%at22] : i32, !cube.array<i32>
  %k23 = arith.constant 23 : i32
  %at23 = arith.addi %start, %k23 : i32
  %r23 = cube.remui %x, %d3 : i32
  cube.store %r23, %r[%at23] : i32, !cube.array<i32>
  %k24 = arith.constant 24 : i32
  %at24 = arith.addi %start, %k24 : i32
  %r24 = cube.remsi %x, %d3 : i32
  cube.store %r24, %r[%at24] : i32, !cube.array<i32>
  %k25 = arith.constant 25 : i32
  %at25 = arith.addi %start, %k25 : i32
  %r25 = cube.shl %x, %d3 : i32
  cube.store %r25, %r[%at25] : i32, !cube.array<i32>
  %k26 = arith.constant 26 : i32
  %at26 = arith.addi %start, %k26 : i32
  %r26 = cube.shrui %x, %d3 : i32
  cube.store %r26, %r[%at26] : i32, !cube.array<i32>
  %k27 = arith.constant 27 : i32
  %at27 = arith.addi %start, %k27 : i32
  %r27 = cube.shrsi %x, %d3 : i32
  cube.store %r27, %r[%at27] : i32, !cube.array<i32>
  %d4 = arith.constant -2147483648 : i32
  %k28 = arith.constant 28 : i32
  %at28 = arith.addi %start, %k28 : i32
  %r28 = cube.divui %x, %d4 : i32
  cube.store %r28, %r[%at28] : i32, !cube.array<i32>
  %k29 = arith.constant 29 : i32
  %at29 = arith.addi %start, %k29 : i32
  %r29 = cube.divsi %x, %d4 : i32
  cube.store %r29, %r[%at29] : i32, !cube.array<i32>
  %k30 = arith.constant 30 : i32
  %at30 = arith.addi %start, %k30 : i32
  %r30 = cube.remui %x, %d4 : i32
  cube.store %r30, %r[%at30] : i32, !cube.array<i32>
  %k31 = arith.constant 31 : i32
  %at31 = arith.addi %start, %k31 : i32
  %r31 = cube.remsi %x, %d4 : i32
  cube.store %r31, %r[%at31] : i32, !cube.array<i32>
  %k32 = arith.constant 32 : i32
  %at32 = arith.addi %start, %k32 : i32
  %r32 = cube.shl %x, %d4 : i32
  cube.store %r32, %r[%at32] : i32, !cube.array<i32>
  %k33 = arith.constant 33 : i32
  %at33 = arith.addi %start, %k33 : i32
  %r33 = cube.shrui %x, %d4 : i32
  cube.store %r33, %r[%at33] : i32, !cube.array<i32>
  %k34 = arith.constant 34 : i32
  %at34 = arith.addi %start, %k34 : i32
  %r34 = cube.shrsi %x, %d4 : i32
  cube.store %r34, %r[%at34] : i32, !cube.array<i32>
  %d5 = arith.constant 8 : i32
  %k35 = arith.constant 35 : i32
  %at35 = arith.addi %start, %k35 : i32
  %r35 = cube.divui %x, %d5 : i32
  cube.store %r35, %r[%at35] : i32, !cube.array<i32>
  %k36 = arith.constant 36 : i32
  %at36 = arith.addi %start, %k36 : i32
  %r36 = cube.divsi %x, %d5 : i32
  cube.store %r36, %r[%at36] : i32, !cube.array<i32>
  %k37 = arith.constant 37 : i32
  %at37 = arith.addi %start, %k37 : i32
  %r37 = cube.remui %x, %d5 : i32
  cube.store %r37, %r[%at37] : i32, !cube.array<i32>
  %k38 = arith.constant 38 : i32
  %at38 = arith.addi %start, %k38 : i32
  %r38 = cube.remsi %x, %d5 : i32
  cube.store %r38, %r[%at38] : i32, !cube.array<i32>
  %k39 = arith.constant 39 : i32
  %at39 = arith.addi %start, %k39 : i32
  %r39 = cube.shl %x, %d5 : i32
  cube.store %r39, %r[%at39] : i32, !cube.array<i32>
  %k40 = arith.constant 40 : i32
  %at40 = arith.addi %start, %k40 : i32
  %r40 = cube.shrui %x, %d5 : i32
  cube.store %r40, %r[%at40] : i32, !cube.array<i32>
  %k41 = arith.constant 41 : i32
  %at41 = arith.addi %start, %k41 : i32
  %r41 = cube.shrsi %x, %d5 : i32
  cube.store %r41, %r[%at41] : i32, !cube.array<i32>
  %d6 = arith.constant 33 : i32
  %k42 = arith.constant 42 : i32
  %at42 = arith.addi %start, %k42 : i32
  %r42 = cube.divui %x, %d6 : i32
  cube.store %r42, %r[%at42] : i32, !cube.array<i32>
  %k43 = arith.constant 43 : i32
  %at43 = arith.addi %start, %k43 : i32
  %r43 = cube.divsi %x, %d6 : i32
  cube.store %r43, %r[%at43] : i32, !cube.array<i32>
  %k44 = arith.constant 44 : i32
  %at44 = arith.addi %start, %k44 : i32
  %r44 = cube.remui %x, %d6 : i32
  cube.store %r44, %r[%at44] : i32, !cube.array<i32>
  %k45 = arith.constant 45 : i32
  %at45 = arith.addi %start, %k45 : i32
  %r45 = cube.remsi %x, %d6 : i32
  cube.store %r45, %r[%at45] : i32, !cube.array<i32>
  %k46 = arith.constant 46 : i32
  %at46 = arith.addi %start, %k46 : i32
  %r46 = cube.shl %x, %d6 : i32
  cube.store %r46, %r[%at46] : i32, !cube.array<i32>
  %k47 = arith.constant 47 : i32
  %at47 = arith.addi %start, %k47 : i32
  %r47 = cube.shrui %x, %d6 : i32
  cube.store %r47, %r[%at47] : i32, !cube.array<i32>
  %k48 = arith.constant 48 : i32
  %at48 = arith.addi %start, %k48 : i32
  %r48 = cube.shrsi %x, %d6 : i32
  cube.store %r48, %r[%at48] : i32, !cube.array<i32>
  cube.return
}
