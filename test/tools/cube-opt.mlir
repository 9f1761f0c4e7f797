// The help texts of cube-opt, and its additions to mlir-opt.
// RUN: cube-opt --help | FileCheck %s --check-prefix=HELP
// HELP: --compile-to=PHASE
// HELP: --compile-from=PHASE
// HELP: --diff
// HELP: Cube's passes, in the order of the phases
// HELP-NEXT: --attach-target adds the description
// HELP: --mark-may-not-terminate marks loops
// HELP: --buffers-to-memref turns
// HELP: --emit-unit-loops
// HELP-DAG: --specialize
// HELP-DAG: --params=<string>
// HELP-DAG: --emit-unit-loops
// HELP-DAG: --phase-optimize
// HELP-DAG: --canonicalize
// RUN: cube-opt --version | FileCheck %s --check-prefix=VERSION
// VERSION: LLVM version 22

// RUN: cube-opt --show-pipeline=cpu | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: pipeline of target cpu
// PIPELINE: phase specialize: {{.*}} (produces level source)
// PIPELINE-NEXT: check-vectors locations are those of the text
// PIPELINE-NEXT: check-size before inlining, because inlining of a large kernel could exhaust the memory
// PIPELINE-NEXT: define-poison before any pass folds an undefined value
// PIPELINE-NEXT: mark-may-not-terminate before any pass removes an infinite loop as dead code
// PIPELINE-NEXT: narrow-inclusive-loops while the bounds are as the front end wrote them
// PIPELINE-NEXT: structure-exits before inlining, while a return still belongs to its function
// PIPELINE-NEXT: normalize-wide-loops after loops of the dialect became loops of `scf`, and before upstream passes fold loops
// PIPELINE-NEXT: inline{default-pipeline=} functions get the comptime parameters of their kernel
// PIPELINE: phase layout: {{.*}} (produces level flat)
// PIPELINE-NEXT: fold-layouts
// PIPELINE: phase optimize
// PIPELINE: remove-checks
// PIPELINE: phase legalize: {{.*}} (produces level legal)
// PIPELINE: phase lower: {{.*}} (produces level llvm)
// PIPELINE: emit-unit-loops
// RUN: cube-opt --show-pipeline nvptx:sm_80 | FileCheck %s --check-prefix=NVPTX
// NVPTX: kernel-to-nvvm
// RUN: not cube-opt --show-pipeline=nvtpx 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error[CUBE0500]: unknown target nvtpx; choose one of cpu, nvptx, amdgpu{{.*}}; did you mean nvptx?

// Stopping after a phase and continuing gives the same module as one run.
// RUN: cube-opt %s --compile-to=lower --params=N=8 > %t.whole
// RUN: cube-opt %s --compile-to=specialize --params=N=8 > %t.specialize
// RUN: cube-opt %t.specialize --compile-from=specialize --compile-to=optimize > %t.optimize
// RUN: cube-opt %t.optimize --compile-from=optimize --compile-to=legalize > %t.legalize
// RUN: cube-opt %t.legalize --compile-from=legalize | diff %t.whole -
// RUN: cube-opt %t.specialize --compile-from=specialize | diff %t.whole -
// RUN: cube-opt %s --pass-pipeline='builtin.module(phase-specialize{})' -o /dev/null
// RUN: cube-opt %t.specialize --phase-optimize --phase-legalize | diff %t.legalize -
// RUN: cube-opt %s --compile-to=lower --target=amdgpu --params=N=8 | FileCheck %s --check-prefix=DEVICE
// DEVICE: llvm.func @k({{.*}}rocdl.kernel
// RUN: not cube-opt %s --compile-to=optimise 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error[CUBE0502]: unknown phase optimise; choose one of specialize, layout, optimize, legalize, lower; did you mean optimize?

// --diff prints the changes of each pass.
// RUN: cube-opt %s --compile-to=specialize --params=N=8 --diff | FileCheck %s --check-prefix=DIFF
// DIFF: // inline{default-pipeline=}: no change
// DIFF: // cube.kernel(specialize{params=N=8})
// DIFF: - %{{.*}} = cube.constant <@N> : i32
// DIFF: + %{{.*}} = arith.constant 8 : i32
// DIFF: // after the last pass
// DIFF-NEXT: #target = #cube.target<
// DIFF-NEXT: module attributes {cube.target = #target} {
// RUN: not cube-opt %s --diff 2>&1 | FileCheck %s --check-prefix=NODIFF
// NODIFF: error[CUBE0604]: --diff requires passes; add

// -o writes the module to a file, also with --diff; --cube-stats works here too.
// RUN: cube-opt %s --specialize --diff --cube-stats -o %t.diffed > %t.diff 2> %t.stats
// RUN: cube-opt %s --specialize | diff %t.diffed - && not grep -q 'after the last pass' %t.diff
// RUN: FileCheck %s --check-prefix=COUNTED --input-file=%t.stats
// COUNTED: specialize 1 parameters replaced

// Conflicting options are rejected; no option is ignored.
// RUN: cube-opt %s --compile-to=optimize --pass-pipeline='builtin.module(canonicalize)' 2> %t.err || test $? = 2
// RUN: FileCheck %s --check-prefix=TWO --input-file=%t.err
// TWO: error[CUBE0604]: --compile-to=optimize and --pass-pipeline are two pipelines; run one after the other, as in cube-opt FILE --compile-to=optimize | cube-opt --pass-pipeline, or write all passes in one --pass-pipeline
// RUN: not cube-opt %s --compile-from optimize -canonicalize 2>&1 | FileCheck %s --check-prefix=FROM
// FROM: error[CUBE0604]: --compile-from=optimize and --canonicalize are two pipelines
// RUN: not cube-opt %s --compile-to=specialize --diff --remove-checks 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error[CUBE0604]: --compile-to=specialize and --remove-checks are two pipelines
// RUN: not cube-opt %s --canonicalize --target=nvptx 2>&1 | FileCheck %s --check-prefix=WHOSE
// WHOSE: error[CUBE0604]: --target requires --compile-to, --compile-from or --layouts-html; add one of them
// RUN: not cube-opt %s --specialize --params=N=8 2>&1 | FileCheck %s --check-prefix=PARAMS
// PARAMS: error[CUBE0604]: --params requires {{.*}}; for a pass, write --specialize=params=N=8
// RUN: not cube-opt %s --layouts-html=%t.html --cse 2>&1 | FileCheck %s --check-prefix=HTML
// HTML: error[CUBE0604]: --layouts-html={{.*}} runs its own passes and writes no module; remove --cse
// RUN: not cube-opt %s --diff --specialize --split-input-file 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error[CUBE0604]: --diff runs the passes without mlir-opt, but --split-input-file is an option of mlir-opt; remove one of them

// The tool rejects a pass that needs `specialize` before it.
// RUN: not cube-opt %s --remove-checks 2>&1 | FileCheck %s --check-prefix=UNDECIDED
// UNDECIDED: error: the pass remove-checks requires that each access is checked or inbounds; run specialize before remove-checks [CUBE0310]
// UNDECIDED: cube-opt: error[CUBE0310]: see the messages above; for more: cube-opt --explain CUBE0310
// RUN: not cube-opt %s --expand-checks 2>&1 | FileCheck %s --check-prefix=CHECKS
// CHECKS: error: the pass expand-checks requires that each access is checked or inbounds; run specialize before expand-checks [CUBE0310]

// RUN: cube-opt %s --specialize --expand-checks --cube-stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// STATS: expand-checks 1 stores guarded
// STATS: specialize 1 parameters replaced

// RUN: cube-opt --explain CUBE0133 | FileCheck %s --check-prefix=EXPLAIN
// RUN: cube-opt --explain=cube0133 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: CUBE0133: line type
// EXPLAIN: An access reads or writes one line
// RUN: not cube-opt --explain CUBE0199 2>&1 | FileCheck %s --check-prefix=NOCODE
// NOCODE: error[CUBE0601]: unknown error code CUBE0199; did you mean CUBE0{{.*}}? see docs/reference/errors.md for all
// RUN: not cube-opt --explain=foo 2>&1 | FileCheck %s --check-prefix=NOTACODE
// NOTACODE: error[CUBE0601]: unknown error code foo; a code looks like CUBE0100; see docs/reference/errors.md for all codes{{$}}
// RUN: not cube-opt --explain 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error[CUBE0604]: --explain requires a value

// A misspelt pass is reported with a suggestion; an upstream pass is not treated as misspelt.
// RUN: not cube-opt %s --expand-chekcs 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error[CUBE0605]: unknown pass or option --expand-chekcs; see cube-opt --help; did you mean --expand-checks?
// RUN: not cube-opt %s --pass-pipeline='builtin.module(expand-chekcs)' 2>&1 | FileCheck %s --check-prefix=INPIPE
// INPIPE: error[CUBE0200]: the pass pipeline is invalid: 'expand-chekcs' does not refer to a registered pass or pass pipeline; run cube-opt --help to list all passes; did you mean expand-checks?
// RUN: not cube-opt %s --specialize=param=N=8 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option param
// RUN: cube-opt %s --lower-affine -o /dev/null

// The input can be standard input or a named pipe; the word after an option can be the option's value.
// RUN: cat %s | cube-opt --canonicalize | FileCheck %s --check-prefix=IR
// RUN: cat %s | cube-opt - --canonicalize | FileCheck %s --check-prefix=IR
// RUN: cube-opt <(cat %s) --canonicalize | FileCheck %s --check-prefix=IR
// RUN: cube-opt --pass-pipeline 'builtin.module(canonicalize)' %s | FileCheck %s --check-prefix=IR
// IR: cube.kernel @k comptime(@N : i32 = 4)
cube.kernel @k comptime(@N : i32 = 4)(%x: !cube.array<i32>) {
  %n = cube.constant <@N> : i32
  cube.store %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}
