// RUN: cube-opt %s --inline --symbol-dce --allow-unregistered-dialect | FileCheck %s

// Nested calls, also in control flow, are inlined into the kernel with their parameters; private functions are removed.
// CHECK-NOT: cube.func private
// CHECK-LABEL: cube.kernel @k
// CHECK-NOT: cube.call
// CHECK: scf.if %c
// CHECK:   %[[N:.*]] = cube.constant <@N> : i32
// CHECK:   %[[A:.*]] = arith.addi %i, %[[N]] : i32
// CHECK:   %[[B:.*]] = arith.muli %[[A]], %i : i32
// CHECK:   cube.store %[[B]], %x[%[[A]]] : i32, !cube.array<i32>
// CHECK: cube.return
cube.func private @add(%a: i32) -> i32 {
  %n = cube.constant <@N> : i32
  %s = arith.addi %a, %n : i32
  cube.return %s : i32
}
cube.func private @both(%a: i32, %b: i32) -> (i32, i32) {
  %s = cube.call @add(%a) : (i32) -> i32
  %p = arith.muli %s, %b : i32
  cube.return %p, %s : i32, i32
}
cube.func private @nobody() { cube.return }
cube.kernel @k comptime(@N : i32 = 3)(%x: !cube.array<i32>, %i: i32, %c: i1) {
  scf.if %c {
    %r:2 = cube.call @both(%i, %i) : (i32, i32) -> (i32, i32)
    cube.store %r#0, %x[%r#1] : i32, !cube.array<i32>
  }
  cube.return
}

// Stores through a buffer that is passed to a function are kept.
// CHECK-LABEL: cube.kernel @writes
// CHECK: cube.store %v, %x[%i] : f32, !cube.array<f32>
cube.func private @write(%x: !cube.array<f32>, %i: i32, %v: f32) {
  cube.store %v, %x[%i] : f32, !cube.array<f32>
  cube.return
}
cube.kernel @writes(%x: !cube.array<f32>, %i: i32, %v: f32) {
  cube.call @write(%x, %i, %v) : (!cube.array<f32>, i32, f32) -> ()
  cube.return
}
