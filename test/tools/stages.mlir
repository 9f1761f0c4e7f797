// A compilation resumes from any of its stage files, on the CPU and in the interpreter, with the same result.

// RUN: cubec %s --dump-tree %t/tree -o %t.o
// RUN: cube-run %s --arg x=iota:100 --arg y=zeros:90 --out y=%t.expected.npy
// RUN: for file in %t/tree/*/*.mlir; do cube-run $file --arg x=iota:100 --arg y=zeros:90 --out y=%t.npy && cmp %t.npy %t.expected.npy || exit 1; done
// RUN: for file in %t/tree/specialize/*.mlir %t/tree/legalize/*.mlir; do cube-run $file --backend interp --arg x=iota:100 --arg y=zeros:90 --out y=%t.npy && cmp %t.npy %t.expected.npy || exit 1; done
// The file name contains the number of preceding passes, so the test finds the file by the pass's name.
// RUN: cp %t/tree/legalize/*-expand-checks.mlir %t.checks.mlir
// RUN: FileCheck %s --check-prefix=HEAD --input-file=%t.checks.mlir
// HEAD: {{^}}// cube-stage: after {{[0-9]+}} expand-checks of phase legalize for cpu
// HEAD-NEXT: // cube-launch: {"kernel":"k",
// HEAD-NEXT: // cube-text: {{[0-9a-f]+$}}
// HEAD-NEXT: #target = #cube.target<
// HEAD-NEXT: module attributes {cube.target = #target} {

// Passes use the target description of the module, so a stage file cannot continue for another target.
// RUN: not cubec %t.checks.mlir --target nvptx -o - 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error[CUBE0350]: the module has target cpu:native, but target nvptx:sm_90a is requested
// RUN: sh -c 'cp %t/tree/lower/*-emit-unit-loops.mlir %t.cpu.mlir'
// RUN: not cubec %t.cpu.mlir --target nvptx -o - 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error[CUBE0951]: {{.*}}the pipeline for nvptx has {{[a-z-]+}} of phase lower there; write the stage files again, or remove the line

// RUN: not cubec %t.cpu.mlir --target cpu:x86-64-v3 -o - 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error[CUBE0350]: the module has target cpu:native, but target cpu:x86-64-v3 is requested

// Stage files of another pipeline, and a stage file with an edited header.
// RUN: sed 's/ expand-checks of/ expand-cheks of/' %t.checks.mlir | not cube-run - --describe 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[CUBE0951]: - begins with '// cube-stage: after {{[0-9]+}} expand-cheks of phase legalize for cpu', but the pipeline for cpu has expand-checks of phase legalize there
// RUN: sed 's/after [0-9]*/after 9999/' %t.checks.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error[CUBE0951]: {{.*}}the pipeline for cpu has no such pass
// RUN: sed 's/after [0-9]*/after x/' %t.checks.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error[CUBE0951]: {{.*}}'x' is not a number
// RUN: sed 's/of phase //' %t.checks.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: error[CUBE0951]: {{.*}}expected 'after NUMBER PASS of phase PHASE for TARGET'
// RUN: sed 's/"kernel":"k"/"kernel":7/' %t.checks.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error[CUBE0951]: {{.*}}its second line is damaged: invalid type
// RUN: sed 's/"cube_dim":.32,1,1./"cube_dim":[0,1,1]/' %t.checks.mlir | not cubec - -o - 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error[CUBE0951]: {{.*}}its second line is wrong: its cube dim [0, 1, 1] has a zero
cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %j = arith.addi %i, %one : i32
  %v = cube.load %x[%j] : !cube.array<f32> -> f32
  %e = arith.mulf %v, %v : f32
  cube.store %e, %y[%i] : f32, !cube.array<f32>
  cube.return
}
