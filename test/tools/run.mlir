// The output of cube-run: text and files.

// RUN: cube-run %s --kernel scale --describe --target cpu:x86-64-v2 | FileCheck %s --check-prefix=DESCRIBE
// DESCRIBE: kernel scale for cpu:x86-64-v2
// DESCRIBE: cube dim     4, 1, 1
// DESCRIBE: accesses     checked
// DESCRIBE: code         {{[0-9]+}} bytes, artifact {{[0-9a-f]+}}
// DESCRIBE: needs        sse3
// DESCRIBE: --arg x=..         buffer of f32, read
// DESCRIBE: --arg y=..         buffer of f32, written
// DESCRIBE: --arg factor=..    scalar of f32
// DESCRIBE-NOT: cube count

// With arguments, --describe also prints the chosen cube count; no kernel runs.
// RUN: cube-run %s --kernel scale --describe --arg x=iota:9 --arg y=zeros:x --arg factor=2 --print y | FileCheck %s --check-prefix=COUNT
// COUNT: cube count   3, 1, 1 (covers the 9 lines of y)
// COUNT-NOT: 0 2 4

// RUN: cube-run %s --kernel scale --arg x=iota:9 --arg y=zeros:x --arg factor=2 --print y | FileCheck %s --check-prefix=PRINT
// PRINT: y: 9 of f32
// PRINT-NEXT: 0 2 4 6 8 10 12 14 16

// Pictures and matrices are printed by rows; a cube with units along y covers rows and columns.
// RUN: cube-run %s --kernel rows --arg y=zeros:3x5 --print y --time | FileCheck %s --check-prefix=ROWS
// ROWS: parse
// ROWS: emit
// ROWS: launch
// ROWS: best launch {{.*}} GB/s
// ROWS: cube count     3, 2, 1 (covers the 5 x 3 of y)
// ROWS: y: 3 x 5 of i32
// ROWS-NEXT: 0 1 2 3 4
// ROWS-NEXT: 10 11 12 13 14
// ROWS-NEXT: 20 21 22 23 24

// An output file can be read again; --check accepts another shape with the same number of elements.
// RUN: cube-run %s --kernel rows --arg y=zeros:3x5 --out y=%t.npy --out y=%t.2.npy
// RUN: cmp %t.npy %t.2.npy
// RUN: cube-run %s --kernel rows --arg y=random:15 --cube-count 3,2 --check y=%t.npy | FileCheck %s --check-prefix=CHECK-NPY
// CHECK-NPY: check y: equal; 0 of 15 elements beyond 0 ulp

// A picture as output and as input.
// RUN: cube-run %s --kernel grey --arg y=zeros:2x3 --out y=%t.png
// RUN: cube-run %s --kernel grey --arg y=%t.png --print y --check y=%S/inputs/grey.npy | FileCheck %s --check-prefix=PNG
// PNG: y: 2 x 3 x 1 of u8
// PNG: check y: equal

// The compiler in a child process, the compiler in the same process, and cubec give the same artifact.
// RUN: cube-run %s --kernel scale --describe > %t.in && cube-run %s --kernel scale --describe --compiler serve > %t.child
// RUN: cmp %t.in %t.child
// RUN: cubec %s --kernel scale --emit artifact -o %t.artifact
// RUN: cube-run %t.artifact --describe > %t.file && cmp %t.in %t.file
// RUN: cube-run %t.artifact --kernel scale --arg x=iota:4 --arg y=zeros:4 --arg factor=0.5 --print y | FileCheck %s --check-prefix=ARTIFACT
// ARTIFACT: 0 0.5 1 1.5

// RUN: cube-run - --arg y=ones:1 --print y < %S/inputs/nothing.mlir | FileCheck %s --check-prefix=STDIN
// STDIN: y: 1 of f32
// STDIN-NEXT: 1

// RUN: cube-run --list-backends | FileCheck %s --check-prefix=BACKENDS
// BACKENDS: cpu present {{[0-9]+}} threads
// BACKENDS: cuda {{absent there is no CUDA d|present .* multiprocessors, .* GiB}}
// BACKENDS: hip {{absent there is no HIP |present }}
// BACKENDS: wgpu {{absent|present .*, wgsl:core}}
// BACKENDS: wgpu-spirv {{absent|present .*, spirv:vulkan}}

// If the reader of a pipe closes it early, cube-run reports no error.
// RUN: cube-run %s --kernel scale --describe | head -0

// RUN: cube-run --explain CUBE0608 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: CUBE0608: argument of a run

cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %factor : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// Writes y = 10 * row + column, for rows of five elements.
cube.kernel @rows(%y: !cube.array<i32>) cube_dim(2, 2) {
  %5 = arith.constant 5 : i32
  %10 = arith.constant 10 : i32
  %column = cube.topology absolute_pos_x
  %row = cube.topology absolute_pos_y
  %inside = arith.cmpi ult, %column, %5 : i32
  scf.if %inside {
    %start = arith.muli %row, %5 : i32
    %at = arith.addi %start, %column : i32
    %tens = arith.muli %row, %10 : i32
    %v = arith.addi %tens, %column : i32
    cube.store %v, %y[%at] : i32, !cube.array<i32>
  }
  cube.return
}

cube.kernel @grey(%y: !cube.array<i8> {cube.host = "u8"}) cube_dim(8) {
  %40 = arith.constant 40 : i32
  %i = cube.topology absolute_pos
  %v = arith.muli %i, %40 : i32
  %byte = arith.trunci %v : i32 to i8
  cube.store %byte, %y[%i] : i8, !cube.array<i8>
  cube.return
}

// A comptime parameter of type i1 accepts `true` and `false` as well as numbers.
// RUN: for b in true 1 -1; do cube-run %s --kernel flag --param B=$b --arg x=zeros:1 --print x; done | FileCheck %s --check-prefix=TRUE
// RUN: for b in false 0; do cube-run %s --kernel flag --param B=$b --arg x=ones:1 --print x; done | FileCheck %s --check-prefix=FALSE
// RUN: cube-run %s --kernel flag --param B=true --arg x=zeros:1 --print x --backend interp --level flat | FileCheck %s --check-prefix=FLAG
// RUN: cube-run %s --kernel flag --param B=true --arg x=zeros:1 --print x --backend interp | FileCheck %s --check-prefix=FLAG
// RUN: not cube-run %s --kernel flag --param B=yes --arg x=zeros:1 2>&1 | FileCheck %s --check-prefix=YES
// TRUE-COUNT-3: {{^}}true
// FALSE-COUNT-2: {{^}}false
// FLAG: {{^}}true
// YES: error[CUBE0302]: comptime parameter @B requires a value of type i1, not 'yes'
cube.kernel @flag comptime(@B : i1 = false)(%x: !cube.array<i1>) cube_dim(1) {
  %c = arith.constant 0 : i32
  %b = cube.constant <@B> : i1
  cube.store %b, %x[%c] : i1, !cube.array<i1>
  cube.return
}
