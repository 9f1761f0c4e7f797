// By default the interpreter finds faults that the first passes remove, and races that need another order of units.

// RUN: not cube-run %s --kernel uninit_local --backend interp --arg x=iota:64 --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=UNINIT_LOCAL
// UNINIT_LOCAL: defaults.mlir:[[#@LINE+33]]:{{[0-9]+}}: error[CUBE0712]
// RUN: not cube-run %s --kernel uninit_local_branch --backend interp --arg x=iota:64 --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=UNINIT_LOCAL_BRANCH
// UNINIT_LOCAL_BRANCH: defaults.mlir:[[#@LINE+49]]:{{[0-9]+}}: error[CUBE0712]
// RUN: not cube-run %s --kernel inbounds_slice --backend interp --arg x=iota:64 --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=INBOUNDS_SLICE
// INBOUNDS_SLICE: defaults.mlir:[[#@LINE+60]]:{{[0-9]+}}: error[CUBE0713]
// RUN: not cube-run %s --kernel vector_dyn_extract --backend interp --arg x=iota:64 --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=VECTOR_DYN_EXTRACT
// VECTOR_DYN_EXTRACT: defaults.mlir:[[#@LINE+68]]:{{[0-9]+}}: error[CUBE0713]

// In the first order, unit 0 sees an empty list, so its plain reads race with other units' writes only in the reverse
// order. The printed results are those of the first order.
// RUN: not cube-run %s --kernel push_list --backend interp --arg x=ones:64 --arg next=zeros:64 --arg head=zeros:1 --arg out=zeros:2 \
// RUN:   --cube-count 1 --print out > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=RACE --input-file=%t.err
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t.out
// RACE: error[CUBE0711]: races: 'cube.load' reads next[{{.*}} where units run from the last to the first
// OUT: out: 2 of i64
// OUT-NEXT: 1 1
// A seed selects a single order of units; a kernel that depends on the order without a race passes.
// RUN: cube-run %s --kernel counts --backend interp --arg x=zeros:1 --arg y=zeros:64 --cube-count 1 --print x | FileCheck %s --check-prefix=COUNT
// COUNT: x: 1 of i32
// COUNT-NEXT: 64
// Units that wait for earlier units finish only in the first order; this is not a finding.
// RUN: cube-run %s --kernel chain --backend interp --arg x=zeros:1 --cube-count 1 --print x | FileCheck %s --check-prefix=CHAIN
// CHAIN: x: 1 of i32
// CHAIN-NEXT: 64

cube.kernel @uninit_local(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %l = cube.alloc : !cube.local<4 x i32>
  cube.store %v, %l[%c0] : i32, !cube.local<4 x i32>
  %w = cube.load %l[%c1] : !cube.local<4 x i32> -> i32 // A
  cube.store %w, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @uninit_local_branch(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %l = cube.alloc : !cube.local<1 x f32>
  %o = arith.cmpi eq, %u, %c63 : i32
  scf.if %o {
  } else {
    %q = arith.sitofp %v : i32 to f32
    cube.store %q, %l[%c0] : f32, !cube.local<1 x f32>
  }
  %w = cube.load %l[%c0] : !cube.local<1 x f32> -> f32 // A
  %z = arith.fptosi %w : f32 to i32
  cube.store %z, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @inbounds_slice(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %s = cube.slice %x[%c0 to %c32] : !cube.array<i32> -> !cube.slice<i32>
  %w = cube.load %s[%u] inbounds : !cube.slice<i32> -> i32 // A
  cube.store %w, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @vector_dyn_extract(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %l = vector.broadcast %v : i32 to vector<4xi32>
  %ix = arith.index_castui %v : i32 to index
  %w = vector.extract %l[%ix] : i32 from vector<4xi32> // A
  cube.store %w, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// Units push nodes on a list (i64 head: count above index) by compare-and-swap; one unit sums the values of the list.
cube.kernel @push_list(%x: !cube.array<i32>, %next: !cube.array<i32>, %head: !cube.array<i64>, %out: !cube.array<i64>) cube_dim(64) {
  %0 = cube.topology unit_pos
  %1 = cube.topology absolute_pos
  %2 = cube.topology cube_pos
  %3 = cube.len %x : !cube.array<i32>
  %4 = arith.cmpi ult, %1, %3 : i32
  %5 = cube.load %x[%1] : !cube.array<i32> -> i32
  %6 = arith.constant 0 : i32
  %7 = arith.cmpi sgt, %5, %6 : i32
  %8 = arith.andi %4, %7 : i1
  cube.if %8 {
    %9 = cube.atomic_load %head[%2] : !cube.array<i64> -> i64
    %10 = cube.alloc : !cube.local<1 x i64>
    cube.store %9, %10[%6] : i64, !cube.local<1 x i64>
    cube.loop {
      %11 = cube.load %10[%6] : !cube.local<1 x i64> -> i64
      %12 = arith.trunci %11 : i64 to i32
      cube.store %12, %next[%1] : i32, !cube.array<i32>
      %13 = arith.constant 32 : i64
      %14 = cube.shrui %11, %13 : i64
      %15 = arith.constant 1 : i64
      %16 = arith.addi %14, %15 : i64
      %17 = cube.shl %16, %13 : i64
      %18 = arith.constant 1 : i32
      %19 = arith.addi %1, %18 : i32
      %20 = arith.extui %19 : i32 to i64
      %21 = arith.ori %17, %20 : i64
      %22 = cube.atomic_cas %11, %21, %head[%2] : i64, !cube.array<i64>
      %23 = arith.cmpi eq, %22, %11 : i64
      cube.if %23 {
        cube.break
      }
      cube.store %22, %10[%6] : i64, !cube.local<1 x i64>
    }
  }
  %24 = arith.cmpi eq, %0, %6 : i32
  cube.if %24 {
    %25 = cube.atomic_load %head[%2] : !cube.array<i64> -> i64
    %26 = arith.trunci %25 : i64 to i32
    %27 = cube.alloc : !cube.local<1 x i32>
    cube.store %26, %27[%6] : i32, !cube.local<1 x i32>
    %28 = arith.constant 0 : i64
    %29 = cube.alloc : !cube.local<1 x i64>
    cube.store %28, %29[%6] : i64, !cube.local<1 x i64>
    cube.loop {
      %30 = cube.load %27[%6] : !cube.local<1 x i32> -> i32
      %31 = arith.cmpi eq, %30, %6 : i32
      cube.if %31 {
        cube.break
      }
      %32 = cube.load %29[%6] : !cube.local<1 x i64> -> i64
      %33 = cube.load %27[%6] : !cube.local<1 x i32> -> i32
      %34 = arith.constant 1 : i32
      %35 = arith.subi %33, %34 : i32
      %36 = cube.load %x[%35] : !cube.array<i32> -> i32
      %37 = arith.extsi %36 : i32 to i64
      %38 = arith.addi %32, %37 : i64
      cube.store %38, %29[%6] : i64, !cube.local<1 x i64>
      %39 = cube.load %27[%6] : !cube.local<1 x i32> -> i32
      %40 = arith.subi %39, %34 : i32
      %41 = cube.load %next[%40] : !cube.array<i32> -> i32
      cube.store %41, %27[%6] : i32, !cube.local<1 x i32>
    }
    %42 = cube.load %29[%6] : !cube.local<1 x i64> -> i64
    %43 = arith.constant 2 : i32
    %44 = arith.muli %2, %43 : i32
    cube.store %42, %out[%44] : i64, !cube.array<i64>
    %45 = arith.constant 32 : i64
    %46 = cube.shrui %25, %45 : i64
    %47 = arith.muli %2, %43 : i32
    %48 = arith.constant 1 : i32
    %49 = arith.addi %47, %48 : i32
    cube.store %46, %out[%49] : i64, !cube.array<i64>
  }
  cube.return
}

cube.kernel @counts(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %n = cube.atomic_rmw addi %1, %x[%0] : i32, !cube.array<i32>
  cube.store %n, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @chain(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  cube.loop {
    %n = cube.atomic_load %x[%0] : !cube.array<i32> -> i32
    %mine = arith.cmpi eq, %n, %i : i32
    cube.if %mine {
      cube.break
    }
  }
  %last = cube.atomic_rmw addi %1, %x[%0] : i32, !cube.array<i32>
  cube.return
}
