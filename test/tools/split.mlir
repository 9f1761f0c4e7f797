// An error in one part of a split file does not prevent the processing of the other parts.
// RUN: not cube-opt %s --split-input-file --specialize > %t.out 2> %t.err
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t.err
// CHECK: @first
// CHECK-NOT: @second
// CHECK: @third
// ERR: split.mlir:[[@LINE+6]]:1: error: comptime parameter @N of kernel @second has no value and no default; set its value with --param N=VALUE (cubec, cube-run) or the pass option params=N=VALUE [CUBE0303]
// ERR-NOT: error:
// ERR: cube-opt: error[CUBE0303]
cube.kernel @first() { cube.return }

// -----
cube.kernel @second comptime(@N : i32)() { cube.return }

// -----

cube.kernel @third() { cube.return }
