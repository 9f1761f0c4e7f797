// RUN: cube-opt %s --split-input-file --remove-dead-functions | FileCheck %s

// Functions that no kernel calls are removed, even if they call each other.

// CHECK-LABEL: cube.kernel @alone
// CHECK-NOT: cube.func
cube.kernel @alone() { cube.return }
cube.func @f(%x: i32) -> i32 {
  %r = cube.call @g(%x) : (i32) -> i32
  cube.return %r : i32
}
cube.func @g(%x: i32) -> i32 { cube.return %x : i32 }

// -----

// Functions that a kernel calls are kept.

// CHECK-LABEL: cube.kernel @calls
// CHECK: cube.func @h
cube.kernel @calls() {
  %0 = arith.constant 0 : i32
  %1 = cube.call @h(%0) : (i32) -> i32
  cube.return
}
cube.func @h(%x: i32) -> i32 { cube.return %x : i32 }
