// The predicted time of a launch, its limit, the accesses, the assumptions, and missed optimisations.

// A stream is limited by global memory, and each access of a plane takes its least number of cycles.
// RUN: cubec %s --kernel scale --target nvptx:sm_90a -o /dev/null --explain-cost cubes=1048576,x=268435456 2>&1 | FileCheck %s --check-prefix=STREAM
// STREAM: cost of @scale for nvptx:sm_90a on NVIDIA H200 SXM (132 multiprocessors, 1755 MHz, 4800 GB/s)
// STREAM: predicted time: {{4[0-9][0-9]|5[0-4][0-9]}}.{{[0-9]}} us, limited by global memory
// STREAM: global memory {{.*}} 2.15 GB
// STREAM: occupancy: 64 of 64 planes, limited by planes
// STREAM: load x{{.*}} 16 bytes of a unit, 4.0 cycles (least 4.0), 8 times in a cube
// STREAM-NOT: assumed

// A stride of 64 elements takes one group of 128 bytes for each lane. A missed optimisation is listed with its reason.
// RUN: cubec %s --kernel strided --target nvptx:sm_90a -o /dev/null --explain-cost cubes=65536,x=1073741824,out=16777216 2>&1 | FileCheck %s --check-prefix=STRIDED
// STRIDED: limited by {{memory pipeline|global memory}}
// STRIDED: load x{{.*}} 4 bytes of a unit, 32.0 cycles (least 1.0), 8 times in a cube
// STRIDED: not done
// STRIDED: remove-checks: the check stays

// A trip count and an index from memory are assumptions.
// RUN: cubec %s --kernel chained --target nvptx:sm_90a -o /dev/null --explain-cost cubes=1024,x=262144,out=262144 2>&1 | FileCheck %s --check-prefix=CHAINED
// CHAINED: load x{{.*}}, index unknown
// CHAINED: assumed
// CHAINED: the loop has 16 iterations

// The launch must define the scalars, and the target must have a described board.
// RUN: not cubec %s --kernel looped --target nvptx:sm_90a -o /dev/null --explain-cost cubes=4,x=1024 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[CUBE0617]: --explain-cost: no integer scalar has the name 'n'; write the facts as cubes=X,x=LINES
// RUN: not cubec %s --kernel looped --target nvptx:sm_90a -o /dev/null --explain-cost cubes=0x,n=1,x=4 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error[CUBE0617]: --explain-cost: 'cubes=0x' is not a fact of a launch; write NAME=NUMBER
// RUN: not cubec %s --kernel looped --target cpu -o /dev/null --explain-cost cubes=4,n=1 2>&1 | FileCheck %s --check-prefix=BOARD
// BOARD: error[CUBE0617]: --explain-cost: target cpu has no description of a board; choose a target with a board, for example nvptx:sm_90a

// More iterations take more time, and the text of the code does not depend on the option.
// RUN: cubec %s --kernel looped --target nvptx:sm_90a -o %t.with --explain-cost cubes=1056,n=100000,x=270336 2>&1 | FileCheck %s --check-prefix=LOOPED
// RUN: cubec %s --kernel looped --target nvptx:sm_90a -o %t.without && diff %t.with %t.without
// LOOPED: limited by {{issue|latency}}
// LOOPED: {{[0-9]+}} instructions of a unit

cube.kernel @scale(%x: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %r = arith.addf %v, %v : f32
    cube.store %r, %x[%i] : f32, !cube.array<f32>
  }
  cube.return
}

cube.kernel @strided(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(256) {
  %c64 = arith.constant 64 : i32
  %i = cube.topology absolute_pos
  %at = arith.muli %i, %c64 : i32
  %v = cube.load %x[%at] : !cube.array<f32> -> f32
  cube.store %v, %out[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @chained(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(256) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = cube.topology absolute_pos
  %first = cube.load %x[%i] : !cube.array<i32> -> i32
  %last = scf.for unsigned %k = %c0 to %first step %c1 iter_args(%at = %first) -> (i32) : i32 {
    %next = cube.load %x[%at] : !cube.array<i32> -> i32
    scf.yield %next : i32
  }
  cube.store %last, %out[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @looped(%x: !cube.array<f32>, %n: i32 {cube.host = "u32"}) cube_dim(256) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.5 : f32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = scf.for unsigned %k = %c0 to %n step %c1 iter_args(%a = %v) -> (f32) : i32 {
    %m = arith.mulf %a, %one : f32
    %s = arith.addf %m, %v : f32
    scf.yield %s : f32
  }
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}
