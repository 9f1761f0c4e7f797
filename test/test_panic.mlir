// RUN: not env CUBE_TEST_PASSES=1 cube-opt %s --test-panic=message=ouch 2>&1 | FileCheck %s
// RUN: not cube-opt %s --test-panic 2>&1 | FileCheck %s --check-prefix=HIDDEN

// A panic in a pass is reported as one located message without a backtrace; other kernels and invalid IR add no errors.
// CHECK-NOT: panicked at
// CHECK: test_panic.mlir:[[@LINE+4]]:1: error: pass test-panic panicked: ouch; this is a bug of the pass, not of the kernel; please report the panic with this kernel [CUBE0399]
// CHECK-NOT: CUBE0398
// CHECK: cube-opt: error[CUBE0399]
// HIDDEN: Unknown command line argument '--test-panic'
cube.kernel @k(%x: !cube.array<i32>) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}
