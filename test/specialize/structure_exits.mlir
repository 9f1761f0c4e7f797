// RUN: cube-opt %s --structure-exits | FileCheck %s

// A flag guards the code after an early return.
// CHECK-LABEL: cube.kernel @guard
// CHECK: %[[FLAG:.*]] = cube.alloc : !cube.local<1 x i1>
// CHECK: cube.store %false, %[[FLAG]]
// CHECK: scf.if %p {
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK: cube.store %[[TRUE]], %[[FLAG]]
// CHECK: %[[LEFT:.*]] = cube.load %[[FLAG]]
// CHECK: %[[ON:.*]] = arith.xori %[[LEFT]]
// CHECK: scf.if %[[ON]] {
// CHECK-NEXT: cube.store %n, %x[%n]
// CHECK-NOT: cube.if
// CHECK: cube.return
cube.kernel @guard(%x: !cube.array<i32>, %n: i32, %p: i1) {
  cube.if %p { cube.return }
  cube.store %n, %x[%n] : i32, !cube.array<i32>
  cube.return
}

// A counted loop without exits is unchanged. `continue` sets a flag that guards the rest of the iteration only.
// CHECK-LABEL: cube.kernel @continues
// CHECK: %[[SKIP:.*]] = cube.alloc : !cube.local<1 x i1>
// CHECK: scf.for unsigned %[[I:.*]] = %n to %m step %n
// CHECK: cube.store %false{{.*}}, %[[SKIP]]
// CHECK: scf.if %p {
// CHECK: cube.store %true{{.*}}, %[[SKIP]]
// CHECK: cube.load %[[SKIP]]
// CHECK: scf.if
// CHECK-NEXT: cube.store %[[I]], %x[%[[I]]]
cube.kernel @continues(%x: !cube.array<i32>, %n: i32, %m: i32, %p: i1) {
  cube.for unsigned %i = %n to %m step %n : i32 {
    cube.if %p { cube.continue }
    cube.store %i, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// A loop with early exits counts its iterations and tests its flag before each iteration.
// CHECK-LABEL: cube.kernel @breaks
// CHECK: %[[D:.*]] = cube.divui
// CHECK: %[[TURNS:.*]] = arith.select
// CHECK: scf.while (%[[T:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK: cube.load
// CHECK: arith.cmpi ult, %[[T]], %[[TURNS]]
// CHECK: scf.condition
// CHECK: ^bb0(%[[T2:.*]]: i32):
// CHECK: %[[O:.*]] = arith.muli %[[T2]], %
// CHECK: %[[I:.*]] = arith.addi %n, %[[O]]
// CHECK: cube.store %[[I]], %x[%[[I]]]
cube.kernel @breaks(%x: !cube.array<i32>, %n: i32, %m: i32, %p: i1) {
  cube.for %i = %n to %m step %n : i32 {
    cube.if %p { cube.break }
    cube.store %i, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// Values of an early return are stored to cells; `cube.terminate` ends the unit, not the function.
// CHECK-LABEL: cube.func @returns
// CHECK: %[[CELL:.*]] = cube.alloc : !cube.local<1 x i32>
// CHECK: scf.if %p {
// CHECK: cube.store %a, %[[CELL]]
// CHECK: scf.if
// CHECK: cube.if %p {
// CHECK-NEXT: cube.terminate
// CHECK: cube.store %b, %[[CELL]]
// CHECK: %[[R:.*]] = cube.load %[[CELL]]
// CHECK: cube.return %[[R]] : i32
cube.func @returns(%a: i32, %b: i32, %p: i1) -> i32 {
  cube.if %p { cube.return %a : i32 }
  cube.if %p { cube.terminate }
  cube.return %b : i32
}

// A unit can terminate inside scf; later iterations do nothing.
// CHECK-LABEL: cube.kernel @inside
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.if %p
// CHECK-NOT: cube.terminate
// CHECK: cube.return
cube.kernel @inside(%x: !cube.array<i32>, %n: i32, %p: i1) {
  scf.for %i = %n to %n step %n : i32 {
    cube.store %i, %x[%i] : i32, !cube.array<i32>
    cube.if %p { cube.terminate }
    cube.store %n, %x[%i] : i32, !cube.array<i32>
  }
  cube.return
}

// A loop that must be fully unrolled becomes `cube.comptime_for`.
// CHECK-LABEL: cube.kernel @unrolls
// CHECK: cube.comptime_for
// CHECK-NOT: cube.unroll
cube.kernel @unrolls(%x: !cube.array<i32>, %n: i32) {
  cube.for %i = %n to %n step %n : i32 {
    cube.store %i, %x[%i] : i32, !cube.array<i32>
  } {cube.unroll}
  cube.return
}

// The only exit is at the head: the operations before the exit become the condition, and the loop needs no flag. The body
// receives a value that the condition computes, and a copy of a constant.
// CHECK-LABEL: cube.kernel @head(
// CHECK: %{{.*}} = scf.while : () -> i32 {
// CHECK-NOT: i1>
// CHECK: %[[V:.*]] = cube.load %x[%n]
// CHECK: %[[ENDS:.*]] = arith.cmpi eq, %[[V]], %{{.*}} : i32
// CHECK: %[[GOES:.*]] = arith.xori %[[ENDS]], %true
// CHECK: scf.condition(%[[GOES]]) %[[V]] : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[PASSED:.*]]: i32):
// CHECK-NEXT: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: scf.while
// CHECK: arith.addi %[[PASSED]], %[[THREE]] : i32
cube.kernel @head(%x: !cube.array<i32>, %n: i32, %p: i1) {
  cube.loop {
    %three = arith.constant 3 : i32
    %v = cube.load %x[%n] : !cube.array<i32> -> i32
    %is = arith.cmpi eq, %v, %three : i32
    cube.if %is { cube.break }
    cube.loop {
      cube.store %n, %x[%n] : i32, !cube.array<i32>
      cube.if %p { cube.break }
    }
    %w = arith.addi %v, %three : i32
    cube.store %w, %x[%n] : i32, !cube.array<i32>
  }
  cube.return
}

// The exit is in the second branch, and `continue` guards the rest of an iteration.
// CHECK-LABEL: cube.kernel @head_of_else
// CHECK: %[[SKIP:.*]] = cube.alloc : !cube.local<1 x i1>
// CHECK: scf.while
// CHECK: scf.condition(%p)
// CHECK: cube.store %false{{.*}}, %[[SKIP]]
// CHECK: cube.store %true{{.*}}, %[[SKIP]]
cube.kernel @head_of_else(%x: !cube.array<i32>, %n: i32, %p: i1, %q: i1) {
  cube.loop {
    cube.if %p {} else { cube.break }
    cube.if %q { cube.continue }
    cube.store %n, %x[%n] : i32, !cube.array<i32>
  }
  cube.return
}

// A second exit needs a flag.
// CHECK-LABEL: cube.kernel @two_exits
// CHECK: %[[FLAG:.*]] = cube.alloc : !cube.local<1 x i1>
// CHECK: scf.while
// CHECK: cube.load %[[FLAG]]
// CHECK: scf.condition
cube.kernel @two_exits(%x: !cube.array<i32>, %n: i32, %p: i1, %q: i1) {
  cube.loop {
    cube.if %p { cube.break }
    cube.store %n, %x[%n] : i32, !cube.array<i32>
    cube.if %q { cube.break }
  }
  cube.return
}
