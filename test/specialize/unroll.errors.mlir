// RUN: cube-opt %s --unroll --split-input-file --verify-diagnostics

cube.kernel @k(%x: !cube.array<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note@+1 {{it depends on this value}}
  %n = cube.len %x : !cube.array<i32>
  // expected-error@+1 CUBE0308.unroll {bound = "upper bound"}
  scf.for %i = %zero to %n step %one : i32 { } {cube.unroll}
  cube.return
}

// -----

cube.kernel @k(%n: i32, %p: i1) {
  // expected-error@+1 CUBE0309.no_loop {around = "scf.if"}
  scf.if %p { } {cube.unroll}
  cube.return
}

// -----

cube.kernel @k(%n: i32) {
  // expected-error@+1 CUBE0309.factor {n = "0"}
  scf.for %i = %n to %n step %n : i32 { } {cube.unroll = 0 : i32}
  cube.return
}

// -----

cube.kernel @k() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 1000000 : i32
  // expected-error@+1 CUBE0307.factor
  scf.for %i = %zero to %many step %one : i32 { } {cube.unroll}
  cube.return
}

// -----

cube.kernel @k(%n: i32) {
  // expected-remark@+1 {{is not unrolled by 4, because its step is not 1}}
  scf.for %i = %n to %n step %n : i32 { } {cube.unroll = 4 : i32}
  cube.return
}

// -----

cube.kernel @k(%a: i8, %b: i8) {
  %one = arith.constant 1 : i8
  // expected-remark@+1 {{is not unrolled by 200, because a counter of 8 bits has no step of 200}}
  scf.for unsigned %i = %a to %b step %one : i8 { } {cube.unroll = 200 : i32}
  cube.return
}
