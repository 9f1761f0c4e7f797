// RUN: cubec --help | FileCheck %s --check-prefix=HELP
// HELP: Usage: cubec
// HELP: --target
// HELP: --emit
// HELP: examples:
// RUN: cubec --list-targets | FileCheck %s --check-prefix=LIST
// LIST: cpu: {{.*}} (default native)
// LIST: nvptx: PTX for NVIDIA GPUs (default sm_90a)
// LIST: amdgpu: {{.*}} (default gfx942)
// LIST: gfx1100

// Each target, with the default output file and with a given output file.
// RUN: mkdir -p %t.folder && cd %t.folder
// RUN: cubec %s --kernel twice && llvm-readelf -s cubec.o | FileCheck %s --check-prefix=ELF
// ELF: FUNC GLOBAL DEFAULT {{.*}} twice
// RUN: cubec %s --kernel twice --target nvptx && FileCheck %s --check-prefix=PTX --input-file=cubec.ptx
// PTX: .target sm_90a
// PTX: .entry twice(
// RUN: cubec %s --kernel twice --target amdgpu:gfx1100 --emit asm -o %t.s && FileCheck %s --check-prefix=AMD --input-file=%t.s
// AMD: .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
// AMD: .amdhsa_kernel twice
// Several targets at once, with an output folder.
// RUN: mkdir several && cubec %s --kernel twice --target cpu:x86-64-v3 --target nvptx:sm_80 --target amdgpu -o several
// RUN: ls several | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: cubec.amdgpu.hsaco
// SEVERAL-NEXT: cubec.cpu-x86-64-v3.o
// SEVERAL-NEXT: cubec.nvptx-sm_80.ptx

// Every output format.
// RUN: cubec %s --kernel twice --emit llvm -o - | FileCheck %s --check-prefix=LLVM
// LLVM: define {{.*}}void @twice(ptr
// RUN: cubec %s --kernel twice --emit asm -o - | FileCheck %s --check-prefix=ASM
// ASM: twice:
// RUN: cubec %s --kernel twice --emit artifact -o %t.artifact && test -s %t.artifact
// RUN: cubec %s --kernel twice --emit specialize --param N=8 -o - | FileCheck %s --check-prefix=PARAM
// PARAM: cube.kernel @twice(
// PARAM: arith.constant 8 : i32
// RUN: cubec %s --kernel twice --emit optimize -o - | FileCheck %s --check-prefix=OPTIMIZE
// OPTIMIZE: cube.load %x[%{{.*}}] checked
// RUN: cubec %s --kernel twice --emit legalize -o - | FileCheck %s --check-prefix=LEGALIZE
// LEGALIZE: memref.load
// RUN: cubec %s --kernel twice --emit lower --target nvptx -o - | FileCheck %s --check-prefix=LOWER
// LOWER: llvm.func @twice
// RUN: cubec %s --kernel twice --report -o %t.o 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: parse
// REPORT: specialize
// REPORT: emit
// The same input gives the same bytes.
// RUN: cubec %s --kernel twice -o %t.1.o && cubec %s --kernel twice -o %t.2.o && cmp %t.1.o %t.2.o
// RUN: cat %s | cubec - --kernel twice --target nvptx -o - | FileCheck %s --check-prefix=PTX

// Invalid requests are rejected, with a fix.
// RUN: not cubec %s 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error[CUBE0505]: the module has 2 kernels; choose a kernel with --kernel: twice, thrice
// RUN: not cubec %s --kernel twise 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error[CUBE0504]: unknown kernel twise; choose one of twice, thrice; did you mean twice?
// RUN: not cubec %s --kernel twice --target nvptx:sm_81 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error[CUBE0501]: target nvptx has no chip sm_81; choose one of {{.*}}; did you mean sm_8{{.}}?
// RUN: not cubec %s --kernel twice --target cuda 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error[CUBE0500]: unknown target cuda; choose one of
// RUN: not cubec %s --kernel twice --target nvptx: 2>&1 | FileCheck %s --check-prefix=NOCHIP
// NOCHIP: error[CUBE0500]: 'nvptx:' is not a target; write BACKEND or BACKEND:CHIP
// RUN: not cubec %s --kernel twice --param M=8 2>&1 | FileCheck %s --check-prefix=NOPARAM
// NOPARAM: error[CUBE0301]: kernel @twice has no comptime parameter M
// RUN: not cubec %s --kernel twice --param N 2>&1 | FileCheck %s --check-prefix=PAIR
// PAIR: error[CUBE0506]: the option --param N has no value; write NAME=VALUE
// RUN: not cubec %s --kernel twice --param 'N=8}' 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error[CUBE0506]
// RUN: not cubec %s --kernel twice --emit ptx 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error[CUBE0607]: unknown value of --emit: ptx; choose one of code, artifact, asm, llvm
// RUN: not cubec 2>&1 | FileCheck %s --check-prefix=NOINPUT
// NOINPUT: error[CUBE0604]
// RUN: not cubec %s --taget cpu 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error[CUBE0604]: unexpected argument '--taget'
// RUN: echo garbage | not cubec serve 2>&1 | FileCheck %s --check-prefix=SERVE
// SERVE: error[CUBE0606]: the compiler server ended
// RUN: not cube cc 2>&1 | FileCheck %s --check-prefix=TOOL
// TOOL: error[CUBE0600]: unknown tool cc
// RUN: cubec --explain CUBE0904 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: CUBE0904: the compiler process ended
cube.kernel @twice comptime(@N : i32 = 2)(%x: !cube.array<i32>) cube_dim(64) {
  %n = cube.constant <@N> : i32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %w = arith.muli %v, %n : i32
  cube.store %w, %x[%i] : i32, !cube.array<i32>
  cube.return
}
cube.kernel @thrice() { cube.return }
