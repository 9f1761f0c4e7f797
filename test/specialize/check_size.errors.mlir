// RUN: cube-opt %s --check-size --split-input-file --verify-diagnostics

// Each function calls the next function eight times, so the last function is called 8^5 times.
// expected-error@+1 CUBE0317.operations {what = "kernel @doubles", operations = "304276"}
cube.kernel @doubles() {
  cube.call @a() : () -> ()
  cube.return
}
cube.func @a() {
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.call @b() : () -> ()
  cube.return
}
cube.func @b() {
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.call @c() : () -> ()
  cube.return
}
cube.func @c() {
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.call @d() : () -> ()
  cube.return
}
cube.func @d() {
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.call @e() : () -> ()
  cube.return
}
cube.func @e() {
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.call @f() : () -> ()
  cube.return
}
cube.func @f() {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %4 = arith.constant 4 : i32
  %5 = arith.constant 5 : i32
  %6 = arith.constant 6 : i32
  cube.return
}

// -----

// Indirect recursion, with two calls in each function: inlining would not terminate.
cube.kernel @recursive() {
  cube.call @f() : () -> ()
  cube.return
}
cube.func @f() {
  cube.call @g() : () -> ()
  cube.call @g() : () -> ()
  cube.return
}
cube.func @g() {
  // expected-error@+1 CUBE0300 {callee = "f"}
  cube.call @f() : () -> ()
  cube.call @g() : () -> ()
  cube.return
}

// -----

cube.kernel @wide(%x: i32) {
  // expected-error@+1 CUBE0318 {op = "arith.extui", ty = "i65", bits = "65"}
  %w = arith.extui %x : i32 to i65
  cube.return
}

// -----

cube.kernel @wide_float() {
  // expected-error@+1 CUBE0318 {op = "arith.constant", ty = "vector<2xf128>", bits = "128"}
  %w = arith.constant dense<0.0> : vector<2xf128>
  cube.return
}

// -----

cube.kernel @wide_memory() {
  // expected-error@+1 CUBE0318 {op = "cube.alloc", ty = "!cube.shared<4 x i128>", bits = "128"}
  %s = cube.alloc : !cube.shared<4 x i128>
  cube.return
}

// -----

// The error is in a function that the kernel calls.
cube.kernel @inside() {
  cube.call @h() : () -> ()
  cube.return
}
cube.func @h() {
  // expected-error@+1 CUBE0318 {op = "arith.constant", ty = "i65", bits = "65"}
  %x = arith.constant 0 : i65
  cube.return
}

// -----

cube.kernel @long() {
  // expected-error@+1 CUBE0319 {op = "arith.constant", ty = "vector<1025xi8>", lanes = "1025"}
  %v = arith.constant dense<0> : vector<1025xi8>
  cube.return
}

// -----

cube.kernel @large() {
  // expected-error@+1 CUBE0319 {op = "arith.constant", ty = "vector<4294967296x4294967296xi8>", lanes = "18446744073709551615"}
  %v = arith.constant dense<0> : vector<4294967296x4294967296xi8>
  cube.return
}

// -----

// Nested regions, through nested calls.
// expected-error@+1 CUBE0317.depth {what = "kernel @nested", depth = "1029"}
cube.kernel @nested() {
  cube.call @f0() : () -> ()
  cube.return
}
cube.func @f0() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f1() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f1() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f2() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f2() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f3() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f3() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f4() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f4() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f5() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f5() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f6() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f6() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f7() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f7() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f8() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f8() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f9() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f9() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f10() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f10() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f11() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f11() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f12() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f12() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f13() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f13() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f14() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f14() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f15() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f15() {
  %t = arith.constant true
scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t {scf.if %t { cube.call @f16() : () -> () }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  cube.return
}
cube.func @f16() {
  %t = arith.constant true
  scf.if %t { scf.if %t { scf.if %t { scf.if %t { } } } }
  cube.return
}
