// Errors for misspelt names use the terms of kernels and suggest the nearest name.
// RUN: split-file %s %t

// MLIR's parser names neither the misspelt value nor the keywords of the dialect.
// RUN: not cubec %t/value.mlir -o - 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not cube-opt %t/value.mlir 2>&1 | FileCheck %s --check-prefix=OPT
// VALUE: value.mlir:3:14: error[CUBE0100]: use of undeclared SSA value %valu; did you mean %value?
// OPT: value.mlir:3:14: error: use of undeclared SSA value name
// OPT: cube-opt: note: use of undeclared SSA value %valu; did you mean %value?
// RUN: not cubec %t/later.mlir -o - 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: later.mlir:5:14: error[CUBE0100]: use of undeclared SSA value %v: the %v of this file is defined later or in another region; define it before this line, in the same region or in one around it
// RUN: not cubec %t/word.mlir -o - > %t.err 2>&1 && FileCheck %s --check-prefix=WORD --input-file=%t.err && not grep -q 'Cube_\|::cube' %t.err
// WORD: word.mlir:2:22: error[CUBE0100]: custom op 'cube.topology' has no word absolut_pos (did you mean absolute_pos?); words are absolute_pos, absolute_pos_x,
// RUN: not cube-opt %t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORDOPT
// WORDOPT: cube-opt: note: custom op 'cube.topology' has no word absolut_pos (did you mean absolute_pos?)

// A misspelt argument attribute, and operations of other dialects that have an equivalent in Cube.
// RUN: not cubec %t/attribute.mlir -o - 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: error[CUBE0126]: argument 0 of 'cube.kernel' has the unknown attribute cube.hots (did you mean cube.host?); choose one of cube.access, cube.align,
// RUN: not cubec %t/barrier.mlir -o - 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: barrier.mlir:2:3: error[CUBE0331]: 'gpu.barrier' does not belong to level source ({{.*}}); write cube.sync cube instead
// RUN: not cubec %t/foreign.mlir -o - 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: foreign.mlir:2:{{[0-9]+}}: error[CUBE0331]: 'gpu.cluster_id' does not belong to level source ({{.*}}); write it with operations of that level, which docs/reference/levels.md lists

//--- value.mlir
cube.kernel @k(%x: !cube.array<f32>, %i: i32) cube_dim(4) {
  %value = arith.constant 1.0 : f32
  cube.store %valu, %x[%i] : f32, !cube.array<f32>
  cube.return
}
//--- later.mlir
cube.kernel @k(%x: !cube.array<f32>, %i: i32, %b: i1) cube_dim(4) {
  scf.if %b {
    %v = arith.constant 1.0 : f32
  }
  cube.store %v, %x[%i] : f32, !cube.array<f32>
  cube.return
}
//--- word.mlir
cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolut_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}
//--- attribute.mlir
cube.kernel @k(%x: !cube.array<f32> {cube.hots = "f32"}) cube_dim(4) {
  cube.return
}
//--- barrier.mlir
cube.kernel @k(%x: !cube.array<f32>) cube_dim(4) {
  gpu.barrier
  cube.return
}
//--- foreign.mlir
cube.kernel @k(%x: !cube.array<f32>) cube_dim(4) {
  %i = gpu.cluster_id x
  cube.return
}
