// The options of mlir-opt that inspect passes also accept the names of Cube's passes.
// RUN: cube-opt %s --specialize --expand-checks --mlir-print-ir-after-all 2>&1 >/dev/null | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After specialize (specialize)
// AFTER: IR Dump After expand-checks (expand-checks)
// RUN: cube-opt %s --specialize --expand-checks --mlir-print-ir-before=expand-checks 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// BEFORE-NOT: specialize (
// BEFORE: IR Dump Before expand-checks
// RUN: cube-opt %s --fast-division --mlir-print-ir-after-change --mlir-print-ir-after-all 2>&1 >/dev/null | FileCheck %s --check-prefix=SAME --allow-empty
// SAME-NOT: cube.kernel

// RUN: cube-opt %s --specialize --mlir-timing 2>&1 >/dev/null | FileCheck %s --check-prefix=TIMING
// TIMING: 'cube.kernel' Pipeline
// TIMING: specialize
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=N=8}))' --dump-pass-pipeline 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=DUMP
// DUMP: cube.kernel(
// DUMP-NEXT: specialize{params={N=8}}

// A pass that fails leaves a reproducer that fails in the same way.
// RUN: not cube-opt %s --emit-unit-loops --mlir-pass-pipeline-crash-reproducer=%t.repro 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: [CUBE0331]
// RUN: FileCheck %s --check-prefix=REPRO --input-file=%t.repro
// REPRO: cube.kernel @k
// REPRO: pipeline: "builtin.module(emit-unit-loops)"
// RUN: not cube-opt %t.repro --run-reproducer 2>&1 | FileCheck %s --check-prefix=FAILS
// A pass that panics leaves a reproducer too.
// RUN: not env CUBE_TEST_PASSES=1 cube-opt %s --test-panic --mlir-pass-pipeline-crash-reproducer=%t.panic 2>&1 | FileCheck %s --check-prefix=PANIC
// PANIC: [CUBE0399]
// RUN: FileCheck %s --check-prefix=PREPRO --input-file=%t.panic
// PREPRO: pipeline: "builtin.module(cube.kernel(test-panic{message={as requested}}))"
cube.kernel @k comptime(@N : i32 = 4)(%x: !cube.array<i32>) {
  %n = cube.constant <@N> : i32
  cube.store %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}
