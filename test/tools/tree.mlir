// --dump-tree writes the passes that changed the module, their changes, and an index.

// RUN: cubec %s --dump-tree %t/tree -o %t.o
// RUN: FileCheck %s --check-prefix=INDEX --input-file=%t/tree/index.txt
// INDEX: {{^}}cube-tree tree.mlir for cpu
// INDEX-NEXT: 00 parse        parse {{[0-9]+}} lines parse/00-parse.mlir
// INDEX-NEXT: 01 specialize   check-vectors same
// INDEX-NEXT: 02 specialize   check-size same
// INDEX-NEXT: 03 specialize   define-poison same
// INDEX-NEXT: 04 specialize   mark-may-not-terminate same
// INDEX-NEXT: 05 specialize   narrow-inclusive-loops same
// INDEX-NEXT: 06 specialize   structure-exits same
// INDEX-NEXT: 07 specialize   normalize-wide-loops same
// INDEX-NEXT: 08 specialize   inline same
// INDEX: {{[0-9]+}} optimize     remove-checks +1 -1 optimize/{{[0-9]+}}-remove-checks.mlir
// INDEX: lower        emit-unit-loops +{{[0-9]+}} -{{[0-9]+}} lower/{{[0-9]+}}-emit-unit-loops.mlir
// RUN: test ! -e %t/tree/specialize/08-inline.mlir
// RUN: cp %t/tree/optimize/*-remove-checks.diff %t.diff && FileCheck %s --check-prefix=DIFF --input-file=%t.diff
// DIFF: -{{.*}}cube.load %x[%{{.*}}] checked
// DIFF-NEXT: +{{.*}}cube.load %x[%{{.*}}] inbounds by guard
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t/tree/index.html
// PAGE: {{[0-9]+}} optimize remove-checks: +1 -1
// PAGE: <span class="a">+ {{.*}}inbounds
// A dumped file can be edited, and the later passes continue from it.
// RUN: cp %t/tree/optimize/*-remove-checks.mlir %t.removed.mlir && cube-opt %t.removed.mlir --pass-pipeline='builtin.module(cube.kernel(widen-counters,fold-ranges,narrow-counters,loop-invariant-code-motion,cse,canonicalize,check-convergence))' > %t.optimized
// RUN: cube-opt %t.optimized --compile-from=optimize > %t.resumed
// RUN: cube-opt %s --compile-to=lower | diff - %t.resumed

// A second compilation replaces the folder's contents; with several targets, each target has a folder.
// RUN: cubec %s --emit optimize --dump-tree %t/tree -o - > %t.out && test ! -e %t/tree/lower
// RUN: cubec %s --target nvptx --target amdgpu --dump-tree %t/two -o %t && FileCheck %s --check-prefix=NVPTX --input-file=%t/two/nvptx/index.txt
// NVPTX: kernel-to-nvvm
// RUN: test -s %t/two/amdgpu/index.html
// RUN: mkdir %t/mine && touch %t/mine/precious && not cubec %s --dump-tree %t/mine -o %t.o 2>&1 | FileCheck %s --check-prefix=MINE
// MINE: error[CUBE0603]: the folder {{.*}}mine contains other files; choose a new folder

// cube-opt supports --dump-tree for any pipeline, one pass at a time, also in a nested pipeline.
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize,cse,remove-checks))' --dump-tree=%t/opt -o %t.opt
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize,cse,remove-checks))' | diff - %t.opt
// RUN: FileCheck %s --check-prefix=OPT --input-file=%t/opt/index.txt
// OPT: 01 pipeline     specialize
// OPT: 03 pipeline     remove-checks +1 -1 pipeline/03-remove-checks.mlir
// RUN: cube-opt %s --compile-to=optimize --dump-tree=%t/opt -o %t.opt && grep -q 'optimize/[0-9]*-remove-checks.mlir' %t/opt/index.txt
// If a pass fails, the last line of the index is the pass with its message.
// RUN: not cube-opt %s --emit-unit-loops --dump-tree=%t/fails 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error[CUBE0331]
// RUN: FileCheck %s --check-prefix=LAST --input-file=%t/fails/index.txt
// LAST: 01 pipeline     emit-unit-loops failed: 'cube.{{[a-z]+}}' does not belong to level mixed
// RUN: cube-opt %s --dump-tree=%t/none 2> %t.err || test $? = 2 && FileCheck %s --check-prefix=NOTHING --input-file=%t.err
// NOTHING: error[CUBE0604]: --dump-tree requires passes; add
cube.kernel @k(%x: !cube.array<f32>) cube_dim(64) {
  %one = arith.constant 1 : i32
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %w = arith.addf %v, %v : f32
    cube.store %w, %x[%one] : f32, !cube.array<f32>
  }
  cube.return
}
