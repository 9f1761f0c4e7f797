// RUN: split-file %s %t.d
// RUN: cube-run %t.d/clean.mlir --bisect --arg x=random:70 --arg y=zeros:x | FileCheck %s --check-prefix=CLEAN
// RUN: cube-run %t.d/clean.mlir --arg x=random:70 --arg y=zeros:x --out y=%t.y.npy
// RUN: cube-run %t.d/clean.mlir --bisect --arg x=random:70 --arg y=zeros:x --check y=%t.y.npy --against interp | FileCheck %s --check-prefix=ALSO
// RUN: not cube-run %t.d/clean.mlir --bisect --arg x=random:70 --arg y=zeros:x --check y=%S/../run/data/scan.x.npy 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not cube-run %t.d/ours.mlir --bisect --bisect-folder %t --arg v=2147483647 --arg y=zeros:8 2>&1 | FileCheck %s --check-prefix=OURS
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: not cube-run %t.d/llvm.mlir --bisect --bisect-folder %t --arg v=2147483647 --arg y=zeros:8 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: cubec %t/kernel.mlir --llvm-passes 0 --emit llvm -o - 2>&1 | FileCheck %s --check-prefix=NONE

// All passes of Cube, down to the LLVM dialect, and then LLVM's passes; the CPU executes the result.
//      CLEAN: parse reference
//      CLEAN: expand-math same
//      CLEAN: vectorize-spmd same
//      CLEAN: emit-unit-loops same
//      CLEAN: reconcile-unrealized-casts same
// CLEAN-NEXT: cpu same
// CLEAN-NEXT: no pass changes the result
//  CLEAN-NOT: not looked at

// Undefined behaviour simulates a miscompilation: passes can assume that the sum does not overflow.
// OURS: warning: the kernel has undefined behaviour
// OURS: error[CUBE0720]: pass fold-ranges (number {{[0-9]+}}, phase optimize) changes the result: 8 of 8 elements of y differ, most at [0]: 1 instead of 0
// OURS-SAME: cube-opt {{.*}}before.mlir --pass-pipeline='builtin.module(cube.kernel(fold-ranges))'
// FILES: after.mlir
// FILES: before.mlir
// FILES: command.txt

// LLVM: reconcile-unrealized-casts same
// LLVM: error[CUBE0721]: LLVM's pass {{[a-z-]+}} on {{.*}} (number {{[0-9]+}} of {{[0-9]+}}) changes the result: 8 of 8 elements of y differ, most at [0]: 1 instead of 0
// LLVM-SAME: cubec {{.*}}kernel.mlir --target cpu --llvm-passes={{[0-9]+}} --emit llvm -o -

// NONE: BISECT: NOT running pass
// NONE: add nsw i32

// The results of the compiled code are also compared with a file and with the interpreter.
// ALSO: no pass changes the result
// ALSO: check y: equal
// ALSO: cpu and interp agree within the tolerances
// WRONG: no pass changes the result
// WRONG: error[CUBE0609]

//--- clean.mlir
cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %three = arith.constant 3 : i32
  %at = arith.remui %i, %three : i32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.load %x[%at] : !cube.array<f32> -> f32
  %d = arith.subf %v, %w : f32
  %e = math.exp %d : f32
  %s = cube.plane_reduce addf %e : f32
  cube.store %s, %y[%i] : f32, !cube.array<f32>
  cube.return
}

//--- ours.mlir
cube.kernel @k(%v: i32, %y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology absolute_pos
  %least = arith.constant -2147483648 : i32
  %one = arith.constant 1 : i32
  %next = arith.addi %v, %one overflow<nsw> : i32
  %more = arith.cmpi sgt, %next, %least : i32
  %r = arith.extui %more : i1 to i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}

//--- llvm.mlir
cube.kernel @k(%v: i32, %y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %next = arith.addi %v, %one overflow<nsw> : i32
  %more = arith.cmpi sgt, %next, %v : i32
  %r = arith.extui %more : i1 to i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}
