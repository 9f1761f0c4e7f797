// RUN: cube-opt %s --sccp --canonicalize --allow-unregistered-dialect | FileCheck %s
// RUN: cube-opt %s --symbol-dce --allow-unregistered-dialect | FileCheck %s --check-prefix=DCE
// RUN: cube-opt %s --canonicalize --cse --mem2reg --sroa --remove-dead-values --symbol-privatize --strip-debuginfo --print-op-stats --allow-unregistered-dialect -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// Constants propagate through calls of private functions and through loops.
// CHECK-LABEL: cube.kernel @constants
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: "test.use"(%[[C3]])
// DCE-NOT: @unused
cube.func private @unused() { cube.return }
cube.func private @seven(%a: i32) -> i32 {
  %two = arith.constant 2 : i32
  %q = cube.divui %a, %two : i32
  cube.return %q : i32
}
// STATS: cube.kernel
cube.kernel @constants(%x: !cube.array<i32>) {
  %c = arith.constant 7 : i32
  %r = cube.call @seven(%c) : (i32) -> i32
  "test.use"(%r) : (i32) -> ()
  cube.return
}

// A branch with a constant condition is folded: one arm is removed, and the stores of the other arm keep their order.
// CHECK-LABEL: cube.kernel @branches
// CHECK-NOT: scf.if
// CHECK: cube.store %i, %x[%i] checked
// CHECK-NEXT: %[[V:.*]] = cube.load %x[%i] checked
// CHECK-NEXT: cube.store %[[V]], %y[%i] checked
// CHECK-NEXT: cube.return
cube.kernel @branches(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32) cube_dim(8) {
  %t = arith.constant true
  scf.if %t {
    cube.store %i, %x[%i] checked : i32, !cube.array<i32>
  } else {
    cube.store %i, %y[%i] checked : i32, !cube.array<i32>
  }
  %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
  cube.store %v, %y[%i] checked : i32, !cube.array<i32>
  cube.return
}

// A function with an early return in a branch. Upstream passes know only the last return, so they must not fold the
// call to 0, inline the function, or treat its results as dead.
// RUN: cube-opt %s --sccp --inline --remove-dead-values --allow-unregistered-dialect | FileCheck %s --check-prefix=EARLY
// EARLY-LABEL: cube.func private @early
// EARLY:       cube.return %from : i32
// EARLY:       cube.return %{{.*}} : i32
// EARLY-LABEL: cube.kernel @calls_early
// EARLY:       %[[R:.*]] = cube.call @early
// EARLY:       cube.store %[[R]], %x
cube.func private @early(%from: i32, %limit: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %less = arith.cmpi ult, %from, %limit : i32
  cube.if %less {
    cube.return %from : i32
  }
  cube.return %zero : i32
}
cube.kernel @calls_early(%x: !cube.array<i32>, %n: i32) cube_dim(8) {
  %i = cube.topology absolute_pos
  %r = cube.call @early(%i, %n) : (i32, i32) -> i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}
