// RUN: cube-opt %s --resolve-comptime --split-input-file --verify-diagnostics

// expected-note@+1 {{it depends on this value}}
cube.kernel @k(%x: !cube.array<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %twice = arith.addi %n, %n : i32
  %c = arith.cmpi eq, %twice, %zero : i32
  // expected-error@+1 CUBE0308.comptime {what = "its condition", instead = "cube.if"}
  cube.comptime_if %c { }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note@+1 {{it depends on this value}}
  %n = cube.len %x : !cube.array<i32>
  // expected-error@+1 CUBE0308.comptime {what = "its upper bound", instead = "cube.for"}
  cube.comptime_for %i = %zero to %n step %one : i32 { }
  cube.return
}

// -----

cube.kernel @k() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 1000000 : i32
  // expected-error@+1 CUBE0307.comptime
  cube.comptime_for %i = %zero to %many step %one : i32 { }
  cube.return
}
