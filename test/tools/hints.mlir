// RUN: not cube-opt %s 2>&1 | FileCheck %s --check-prefix=OP
// OP: hints.mlir:[[#@LINE+9]]:8: error: {{.*}}cube.topologie
// OP: note: unknown operation cube.topologie; did you mean cube.topology?

// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-cheks))' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error[CUBE0200]: the pass pipeline is invalid: 'expand-cheks' does not refer to a registered pass or pass pipeline; run cube-opt --help to list all passes; did you mean expand-checks?

// RUN: not cubec %s -o - 2>&1 | FileCheck %s --check-prefix=DRIVER
// DRIVER: did you mean cube.topology?
cube.kernel @k() cube_dim(64) {
  %i = cube.topologie absolute_pos
  cube.return
}
