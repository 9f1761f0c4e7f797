// RUN: cube-opt %s --resolve-comptime --split-input-file --verify-diagnostics

// expected-note@+1 {{it depends on this value}}
cube.kernel @k(%x: !cube.array<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %twice = arith.addi %n, %n : i32
  %c = arith.cmpi eq, %twice, %zero : i32
  // expected-error@+1 {{its condition is not known when the kernel is compiled; make it of constants and comptime parameters, or use cube.if [CUBE0308]}}
  cube.comptime_if %c { }
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note@+1 {{it depends on this value}}
  %n = cube.len %x : !cube.array<i32>
  // expected-error@+1 {{its upper bound is not known when the kernel is compiled; make it of constants and comptime parameters, or use cube.for [CUBE0308]}}
  cube.comptime_for %i = %zero to %n step %one : i32 { }
  cube.return
}

// -----

cube.kernel @k() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 1000000 : i32
  // expected-error@+1 {{unrolls to more than 262144 operations; use cube.for, which stays a loop, or fewer turns [CUBE0307]}}
  cube.comptime_for %i = %zero to %many step %one : i32 { }
  cube.return
}
