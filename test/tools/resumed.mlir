// A stage file can be edited, so a resumed compilation makes the checks of the first phase again.
// RUN: split-file %s %t
// RUN: not cube-opt %t/wide.mlir --compile-from=specialize 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not cube-opt %t/wide.mlir --compile-from=optimize 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not cube-opt %t/long.mlir --compile-from=layout 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not cube-opt %t/long.mlir --compile-from=legalize 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not cube-opt %t/long.mlir --compile-from=optimize --compile-to=legalize 2>&1 | FileCheck %s --check-prefix=LONG
// WIDE: wide.mlir:2:{{.*}}'arith.constant' has a value of type i4096, a number of 4096 bits, but the limit is 64 bits; use several narrower numbers [CUBE0318]
// LONG: long.mlir:2:{{.*}}'arith.constant' has a value of type vector<4096xf32>, a vector of 4096 elements, but the limit is 1024; use a loop over shorter vectors [CUBE0319]

// Upstream computes a negative distance for these bounds and would remove the loop as one without iterations.
// RUN: cube-opt %t/far.mlir --compile-from=layout --compile-to=optimize | FileCheck %s --check-prefix=FAR
// RUN: cube-opt %t/far.mlir --compile-from=optimize --compile-to=legalize | FileCheck %s --check-prefix=FAR
// FAR: scf.for unsigned
// FAR: {{cube|memref}}.store

//--- wide.mlir
cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {
  %c = arith.constant 3 : i4096
  %d = arith.trunci %c : i4096 to i32
  %i = arith.constant 0 : i32
  cube.store %d, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}
//--- long.mlir
cube.kernel @k() cube_dim(4) {
  %c = arith.constant dense<1.0> : vector<4096xf32>
  %d = arith.addf %c, %c : vector<4096xf32>
  cube.return
}
//--- far.mlir
cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {
  %from = arith.constant -2000000000 : i32
  %to = arith.constant 2000000000 : i32
  %step = arith.constant 1000000000 : i32
  %i = arith.constant 0 : i32
  scf.for %n = %from to %to step %step : i32 {
    cube.store %n, %x[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}
