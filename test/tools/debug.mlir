// RUN: cubec %s -g --emit llvm -o - | FileCheck %s
// RUN: env CUBE_DEBUG=1 cubec %s --emit llvm -o - | FileCheck %s
// RUN: cubec %s --emit llvm -o - | FileCheck %s --check-prefix=PLAIN
// RUN: not cubec %s -g --target nvptx -o - 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: env CUBE_DEBUG=1 cubec %s --target nvptx -o - | FileCheck %s --check-prefix=WISH
// RUN: not env CUBE_DEBUG=yes cubec %s -o - 2>&1 | FileCheck %s --check-prefix=VALUE
// The results with debug information are the same: planes and shared memory, tiles and loops, math.
// RUN: env CUBE_DEBUG=1 cube-run %S/../../examples/kernels/cube_scan.mlir --arg x=iota:512 --arg r=zeros:512 --against interp
// RUN: env CUBE_DEBUG=1 cube-run %S/../../examples/kernels/matmul_tiled.mlir --arg a=random:64x64 --arg b=random:64x64 --arg c=zeros:64x64 --arg n=64 --cube-count 1 --against interp
// RUN: env CUBE_DEBUG=1 cube-run %S/../../examples/kernels/gelu.mlir --arg x=random:300 --arg y=zeros:x --against interp

// Names in the text: a result, one of several results, block arguments with their locations. A value %0 has no name.
// CHECK-DAG: !DILocalVariable(name: "pos", scope: {{.*}}, line: [[#@LINE+16]]
// CHECK-DAG: !DILocalVariable(name: "both_0", scope: {{.*}}, line: [[#@LINE+17]]
// CHECK-DAG: !DILocalVariable(name: "both_1", scope: {{.*}}, line: [[#@LINE+16]]
// CHECK-DAG: !DILocalVariable(name: "left", scope: {{.*}}, line: [[#@LINE+17]]
// CHECK-DAG: !DILocalVariable(name: "step_two", scope: {{.*}}, line: [[#@LINE+11]]
// CHECK-DAG: !DIBasicType(name: "u32", size: 32, encoding: DW_ATE_unsigned)
// CHECK-NOT: !DILocalVariable(name: "0"
// PLAIN-NOT: DILocalVariable
// TARGET: error[CUBE0730]: -g: code for nvptx has no debug information yet
// WISH: .visible .entry names
// VALUE: error[CUBE0923]: CUBE_DEBUG is 'yes'; set the variable to 1 for code with debug information, or unset the variable
cube.kernel @names(%y: !cube.array<i32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32

  %step.two = arith.addi %n, %one : i32
  %pos = cube.topology absolute_pos
  %both:2 =
    scf.for unsigned %k = %zero to %n step %one
        // A comment between a name and its operation.
        iter_args(%left = %zero, %right = %step.two) -> (i32, i32) : i32 {
    %0 = arith.addi %left, %k : i32
    scf.yield %right, %0 : i32, i32
  }
  %sum = arith.addi %both#0, %both#1 : i32
  cube.store %sum, %y[%pos] : i32, !cube.array<i32>
  cube.return
}
