// `cubec bundle` compiles the kernels of a program for several targets into one file.

// RUN: rm -rf %t && mkdir -p %t/kernels
// RUN: cp %s %t/kernels/one.mlir && sed 's/@k/@second/' %s > %t/kernels/two.mlir && touch %t/kernels/two.1-specialize.mlir
// RUN: cubec bundle %t/kernels %s --target cpu --target nvptx:sm_90 -o %t/out.bundle
// RUN: cubec bundle --list %t/out.bundle | FileCheck %s --check-prefix=LIST
// LIST: k cpu
// LIST-NEXT: k nvptx:sm_90
// LIST-NEXT: second cpu
// LIST-NEXT: second nvptx:sm_90
// LIST-NOT: k

// Equal kernels give equal bundles.
// RUN: cubec bundle %t/kernels --target cpu --target nvptx:sm_90 -o %t/again.bundle && cmp %t/out.bundle %t/again.bundle

// Every error is reported, and no file is written.
// RUN: sed 's/cube.return/cube.retrun/' %s > %t/kernels/broken.mlir
// RUN: not cubec bundle %t/kernels --target cpu --target nvptx:sm_90 -o %t/none.bundle 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: test ! -e %t/none.bundle
// BROKEN: error[CUBE0100]
// BROKEN: note: while {{.*}}broken.mlir was compiled for cpu
// BROKEN: note: while {{.*}}broken.mlir was compiled for nvptx:sm_90

// RUN: mkdir %t/empty && not cubec bundle %t/empty -o %t/none.bundle 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error[CUBE0602]: the folder {{.*}}/empty has no .mlir files with kernels; set CUBE_DUMP={{.*}}/empty and run a program
// RUN: not cubec bundle %s 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: name the bundle's file with -o FILE
// RUN: not cubec bundle -o %t/none.bundle 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: name the kernels
// RUN: head -c 100 %t/out.bundle > %t/cut.bundle && not cubec bundle --list %t/cut.bundle 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error[CUBE0926]: {{.*}}/cut.bundle has 100 bytes, but its header says {{[0-9]+}} bytes; write the bundle again
// RUN: not cubec bundle --list %s 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[CUBE0926]: {{.*}} is not a bundle

cube.kernel @k(%x: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}
