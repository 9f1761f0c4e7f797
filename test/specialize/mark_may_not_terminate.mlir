// RUN: cube-opt %s --mark-may-not-terminate --mark-may-not-terminate --split-input-file | FileCheck %s
// RUN: cubec %s --kernel computes --emit legalize -o - | FileCheck %s --check-prefix=STAYS

// A loop without side effects and with an unused result is marked once; counted loops always terminate and are not.
// CHECK-LABEL: @computes
// CHECK: scf.while
// CHECK: do {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: cube.may_not_terminate
// CHECK-NEXT: scf.yield
// CHECK: scf.for
// CHECK-NOT: cube.may_not_terminate
// CHECK: cube.return
// STAYS: scf.while
// STAYS: cube.may_not_terminate
cube.kernel @computes(%x: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = cube.load %x[%zero] : !cube.array<i32> -> i32
  %last = scf.while (%v = %start) : (i32) -> i32 {
    %c = arith.cmpi ne, %v, %one : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    scf.yield %v : i32
  }
  scf.for %i = %zero to %start step %one : i32 {
    cube.store %i, %x[%i] : i32, !cube.array<i32>
  }
  cube.store %one, %x[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// A loop in a function is marked too; the function is inlined later.
// CHECK-LABEL: cube.func @forever
// CHECK: cube.loop {
// CHECK-NEXT: cube.may_not_terminate
cube.func @forever() {
  cube.loop { cube.continue }
  cube.return
}
