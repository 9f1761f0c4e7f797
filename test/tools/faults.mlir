// A fault of a kernel on the CPU is a failed launch: one line names the kernel and the cause.
// cube-run catches faults only on x86-64 Linux.

// RUN: not cube-run %s --kernel divide --arg x=iota:64 --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error[CUBE0941]: kernel 'divide': it divided an integer by zero, or the smallest integer by -1: cube-run KERNEL.mlir --backend interp
// DIVIDE-NEXT: for more about this error: cubec --explain CUBE0941

// The bisection completes: a pass that turns undefined behaviour into a fault is reported like any other pass.
// RUN: not cube-run %s --kernel divide --bisect --bisect-folder %t.bisect --arg x=iota:64 --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=BISECT
// BISECT: warning: the kernel has undefined behaviour
// BISECT: reconcile-unrealized-casts same
// BISECT: error[CUBE0721]: {{.*}}: the code faults: it divided an integer by zero

// With guard pages, the first byte after a buffer is inaccessible, for elements and lines of every size.
// RUN: for n in 1 32 33 40 63; do CUBE_CPU_GUARD=1 not cube-run %s --kernel words --arg x=iota:$n --arg y=zeros:64 --cube-count 1; done 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: it accessed byte 4 of argument 'x', which has 4 bytes
// WORDS: it accessed byte 128 of argument 'x', which has 128 bytes
// WORDS: it accessed byte 132 of argument 'x', which has 132 bytes
// WORDS: it accessed byte 160 of argument 'x', which has 160 bytes
// WORDS: it accessed byte 252 of argument 'x', which has 252 bytes
// RUN: CUBE_CPU_GUARD=1 not cube-run %s --kernel bytes --arg x=iota:37 --arg y=zeros:64 --cube-count 1 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: it accessed byte 37 of argument 'x', which has 37 bytes
// RUN: CUBE_CPU_GUARD=1 not cube-run %s --kernel lines --arg x=iota:36 --arg y=zeros:256 --cube-count 1 2>&1 | FileCheck %s --check-prefix=LINES
// LINES: it accessed byte 288 of argument 'x', which has 288 bytes
// If the alignment of a buffer does not divide its size, a gap smaller than the alignment precedes the guard page.
// RUN: CUBE_CPU_GUARD=1 not cube-run %s --kernel aligned --arg x=iota:33 --arg y=zeros:64 --cube-count 1 2>&1 | FileCheck %s --check-prefix=ALIGNED
// ALIGNED: it accessed byte {{1[3-9][0-9]}} of argument 'x', which has 132 bytes
// RUN: CUBE_CPU_GUARD=1 cube-run %s --kernel words --arg x=iota:64 --arg y=zeros:64 --cube-count 1 --print y | FileCheck %s --check-prefix=INSIDE
// RUN: CUBE_CPU_GUARD=1 cube-run %s --kernel aligned --arg x=iota:64 --arg y=zeros:64 --cube-count 1 --print y | FileCheck %s --check-prefix=INSIDE
// INSIDE: 61{{[[:space:]]}}62{{[[:space:]]}}63

cube.kernel @divide(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c = arith.constant 64 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %w = arith.divui %c, %v : i32
  cube.store %w, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @words(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @bytes(%x: !cube.array<i8>, %y: !cube.array<i8>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  cube.store %v, %y[%i] : i8, !cube.array<i8>
  cube.return
}

cube.kernel @lines(%x: !cube.array<f64, 4>, %y: !cube.array<f64, 4>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f64, 4> -> vector<4xf64>
  cube.store %v, %y[%i] : vector<4xf64>, !cube.array<f64, 4>
  cube.return
}

cube.kernel @aligned(%x: !cube.array<i32> {cube.align = 64 : i32}, %y: !cube.array<i32>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
