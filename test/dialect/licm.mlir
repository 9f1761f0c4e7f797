// RUN: cube-opt %s --loop-invariant-code-motion --allow-unregistered-dialect | FileCheck %s
// RUN: cube-opt %s --control-flow-sink --allow-unregistered-dialect | FileCheck %s --check-prefix=SINK

// Total operations, lengths and positions are hoisted even if the loop can have no iterations, because they are total.
// Loads are not hoisted, because the store in the loop can change the loaded value.
// CHECK-LABEL: @loop
// CHECK-DAG: cube.divui %i, %d : i32
// CHECK-DAG: cube.len %x
// CHECK-DAG: cube.topology unit_pos
// CHECK: scf.for
// CHECK-NEXT: cube.load %x[%i] inbounds
// CHECK-NEXT: cube.load %x[%i] checked
// CHECK-NEXT: arith.divui
// CHECK: cube.store
cube.kernel @loop(%x: !cube.array<i32>, %i: i32, %d: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %q = cube.divui %i, %d : i32
    %l = cube.len %x : !cube.array<i32>
    %u = cube.topology unit_pos
    %a = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
    %b = cube.load %x[%i] checked : !cube.array<i32> -> i32
    %e = arith.divui %i, %d : i32
    "test.use"(%q, %l, %u, %a, %b, %e) : (i32, i32, i32, i32, i32, i32) -> ()
    cube.store %a, %x[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}

// A load is not hoisted even from a loop without side effects, because the loop can have no iterations.
// CHECK-LABEL: @reading
// CHECK: scf.for
// CHECK: cube.load %x[%i] inbounds
cube.kernel @reading(%x: !cube.array<i32>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %k = %zero to %n step %one iter_args(%s = %i) -> (i32) : i32 {
    %a = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
    %t = arith.addi %s, %a : i32
    scf.yield %t : i32
  }
  "test.use"(%r) : (i32) -> ()
  cube.return
}

// Sinking: pure operations move into the branch that uses them; a load does not move across the store.
// SINK-LABEL: @sink
// SINK: cube.load
// SINK-NEXT: cube.store
// SINK-NEXT: scf.if
// SINK-NEXT: cube.divui
cube.kernel @sink(%x: !cube.array<i32>, %i: i32, %c: i1) {
  %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %q = cube.divui %i, %i : i32
  cube.store %i, %x[%i] checked : i32, !cube.array<i32>
  scf.if %c {
    "test.use"(%v, %q) : (i32, i32) -> ()
  }
  cube.return
}
