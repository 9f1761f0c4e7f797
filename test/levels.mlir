// RUN: split-file %s %t
// RUN: cube-opt %t/source.mlir --check-level=level=source -o /dev/null
// RUN: not cube-opt %t/source.mlir --check-level=level=flat 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: cube-opt %t/flat.mlir --check-level=level=flat --check-level=level=source -o /dev/null
// RUN: cube-opt %t/flat.mlir --check-level -o /dev/null
// RUN: not cube-opt %t/flat.mlir --check-level=level=legal 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: cube-opt %t/legal.mlir --check-level=level=legal -o /dev/null
// RUN: not cube-opt %t/legal.mlir --check-level=level=flat 2>&1 | FileCheck %s --check-prefix=LEGAL
// RUN: not cube-opt %t/legal.mlir --check-level=level=llvm 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: cube-opt %t/llvm.mlir --check-level=level=llvm -o /dev/null
// RUN: cube-opt %t/rank.mlir --check-level=level=source -o /dev/null
// RUN: not cube-opt %t/rank.mlir --check-level=level=flat 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not cube-opt %t/flat.mlir --check-level=level=flatt 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not cube-opt %t/flat.mlir --check-level=level=device 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not cube-opt %t/flat.mlir --check-level=level=mixed 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not cube-opt %t/memref.mlir --check-level=level=llvm 2>&1 | FileCheck %s --check-prefix=MEMREF
// RUN: not cube-opt %t/index.mlir --check-level=level=llvm 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not cube-opt %t/cast.mlir --check-level=level=llvm 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: cube-opt %t/flat.mlir --compile-to=legalize | cube-opt --check-level=level=legal -o /dev/null
// RUN: cube-opt %t/flat.mlir --compile-to=lower | cube-opt --check-level=level=llvm -o /dev/null

// SOURCE: source.mlir:2:{{.*}}type !cube.param<@F> is not allowed at level flat, where no type contains `!cube.param`; run the earlier phases first [CUBE0332]
// FLAT: flat.mlir:2:{{.*}}'cube.load' does not belong to level legal ({{.*}}); an earlier pass should have replaced it [CUBE0331]
// LEGAL: legal.mlir:1:{{.*}}type memref<?xf32> is not allowed at level flat, where no type contains `memref`; run the earlier phases first [CUBE0332]
// LLVM: legal.mlir:2:{{.*}}'cube.return' does not belong to level llvm
// DEVICE: the pass check-level cannot check level device, whose contract differs between backends; use --compile-to=lower to check this level [CUBE0365]
// MIXED: the pass check-level cannot check level mixed, whose contract differs between backends
// MEMREF: memref.mlir:1:{{.*}}type memref<?xf32> is not allowed at level llvm, where no type contains `memref`
// INDEX: index.mlir:1:{{.*}}type index is not allowed at level llvm, where no type contains `index`
// CAST: cast.mlir:2:{{.*}}'builtin.unrealized_conversion_cast' does not belong to level llvm
// RANK: rank.mlir:2:{{.*}}type vector<2x4xf32> is not allowed at level flat; use numbers, and vectors of one dimension and a fixed size [CUBE0332]
// NAME: unknown level 'flatt'; choose one of source, flat, legal, llvm [CUBE0330]

//--- source.mlir
cube.kernel @k comptime(@F : type)() {
  %c = arith.constant 1.0 : !cube.param<@F>
  cube.return
}
//--- flat.mlir
cube.kernel @k(%x: !cube.array<f32>, %i: i32) {
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}
//--- legal.mlir
cube.kernel @k(%x: memref<?xf32>, %i: i32) {
  cube.return
}
//--- llvm.mlir
llvm.func @k() { llvm.return }
//--- memref.mlir
llvm.func @k() {
  llvm.return
^unused(%x: memref<?xf32>):
  llvm.return
}
//--- index.mlir
llvm.func @k() {
  llvm.return
^unused(%x: index):
  llvm.return
}
//--- cast.mlir
llvm.func @k(%n: i64) {
  %i = builtin.unrealized_conversion_cast %n : i64 to index
  llvm.return
}
//--- rank.mlir
cube.kernel @k(%x: f32) {
  %v = vector.broadcast %x : f32 to vector<2x4xf32>
  cube.return
}
