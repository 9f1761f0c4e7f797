// RUN: cube-opt %s --check-size --split-input-file | FileCheck %s

// Functions that a kernel calls are kept. Other functions are removed, because the inliner would process them too.

// CHECK-LABEL: cube.kernel @calls
// CHECK: cube.func @f
// CHECK: cube.func @g
// CHECK-NOT: cube.func
cube.kernel @calls() {
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.return
}
cube.func @f() {
  cube.call @g() : () -> ()
  cube.return
}
cube.func @g() {
  %v = arith.constant dense<0> : vector<1024xi64>
  cube.return
}
cube.func @unused() {
  cube.call @unused_too() : () -> ()
  cube.call @unused_too() : () -> ()
  cube.return
}
cube.func @unused_too() {
  cube.call @unused() : () -> ()
  cube.call @unused() : () -> ()
  cube.return
}

// -----

// A module without a kernel is unchanged.

// CHECK-LABEL: cube.func @alone
cube.func @alone() { cube.return }
