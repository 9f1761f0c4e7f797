// RUN: cube-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error@+1 CUBE0110.element {ty = "'vector<4xf32>'"}
cube.kernel @k(%x: !cube.array<vector<4xf32>>) { cube.return }

// -----

// expected-error@+1 CUBE0110.element {ty = "'index'"}
cube.kernel @k(%x: !cube.array<index>) { cube.return }

// -----

// expected-error@+1 CUBE0111.line {line = "3"}
cube.kernel @k(%x: !cube.array<f32, 3>) { cube.return }

// -----

// expected-error@+1 CUBE0111.line {line = "0"}
cube.kernel @k(%x: !cube.array<f32, 0>) { cube.return }

// -----

// expected-error@+1 CUBE0111.line {line = "32"}
cube.kernel @k(%x: !cube.array<f32, 32>) { cube.return }

// -----

cube.kernel @k() {
  // expected-error@+1 CUBE0112.callee {op = "cube.call", callee = "@f"}
  cube.call @f() : () -> ()
  cube.return
}

// -----

cube.kernel @other() { cube.return }
cube.kernel @k() {
  // expected-error@+1 CUBE0112.callee {op = "cube.call", callee = "@other"}
  cube.call @other() : () -> ()
  cube.return
}

// -----

cube.func @f(%x: i32) -> i32 { cube.return %x : i32 }
cube.kernel @k(%x: i64) {
  // expected-error@+1 CUBE0113.signature {op = "cube.call", ty = "'(i64) -> i32'", callee = "@f", defined = "'(i32) -> i32'"}
  %v = cube.call @f(%x) : (i64) -> i32
  cube.return
}

// -----

// expected-error@+1 CUBE0120 {op = "cube.kernel", dim = "[64, 0, 1]"}
cube.kernel @k() cube_dim(64, 0) { cube.return }

// -----

// expected-error@+1 CUBE0120.sizes {op = "cube.kernel", dim = "[-1, 1, 1]"}
cube.kernel @k() cube_dim(-1) { cube.return }

// -----

// expected-error@+1 CUBE0120.sizes {op = "cube.kernel", dim = "[1, 1, 1, 1]"}
cube.kernel @k() cube_dim(1, 1, 1, 1) { cube.return }

// -----

// expected-error@+1 CUBE0120.sizes {op = "cube.kernel", dim = "[8]"}
"cube.kernel"() <{cube_dim = array<i32: 8>, function_type = () -> (), sym_name = "k"}> ({ "cube.return"() : () -> () }) : () -> ()

// -----

// expected-error@+1 CUBE0121 {op = "cube.kernel", units = "65537"}
cube.kernel @k() cube_dim(65537) { cube.return }

// -----

// expected-error@+1 CUBE0121.units {op = "cube.kernel", units = "18446744073709551615", limit = "65536"}
cube.kernel @k() cube_dim(2147483647, 2147483647, 2147483647) { cube.return }

// -----

// expected-error@+1 CUBE0122.kernel {op = "cube.kernel"}
cube.kernel @k() {}

// -----

// expected-error@+1 CUBE0122.function {op = "cube.func"}
cube.func @f() {}

// -----

// expected-error@+1 CUBE0123 {op = "cube.kernel"}
cube.kernel @k(%x: i32) -> i32 { cube.return %x : i32 }

// -----

// expected-error@+1 CUBE0124 {op = "cube.kernel", param = "N", count = "2"}
cube.kernel @k comptime(@N : i32, @M : i32, @N : type)() { cube.return }

// -----

// expected-error@+1 CUBE0125.unknown {op = "cube.kernel", index = "1", ty = "index"}
cube.kernel @k(%a: i32, %x: index) { cube.return }

// -----

// expected-error@+1 CUBE0125.unknown {op = "cube.kernel", index = "0", ty = "si32", known = "i1, f4E2M1FN, f6E2M3FN, f6E3M2FN, i8, f8E8M0FNU, f8E4M3FN, f8E5M2, i16, f16, bf16, i32, tf32, f32, i64, f64"}
cube.kernel @k(%x: si32) { cube.return }

// -----

// expected-error@+1 CUBE0125.unknown {op = "cube.kernel", index = "0", ty = "!cube.array<i128>", known = "i1, f4E2M1FN, f6E2M3FN, f6E3M2FN, i8, f8E8M0FNU, f8E4M3FN, f8E5M2, i16, f16, bf16, i32, tf32, f32, i64, f64"}
cube.kernel @k(%x: !cube.array<i128>) { cube.return }

// -----

// expected-error@+1 CUBE0125.unknown {op = "cube.kernel", index = "0", ty = "vector<4xf32>", known = "i1, f4E2M1FN, f6E2M3FN, f6E3M2FN, i8, f8E8M0FNU, f8E4M3FN, f8E5M2, i16, f16, bf16, i32, tf32, f32, i64, f64"}
cube.kernel @k(%x: vector<4xf32>) { cube.return }

// -----

// expected-error@+1 CUBE0126 {op = "cube.kernel", index = "0", name = ""}
cube.kernel @k(%x: i32 {cube.hots = "u32"}) { cube.return }

// -----

// expected-error@+1 CUBE0127.differs {op = "cube.kernel", index = "0", name = "u64", host = "i64", ty = "i32"}
cube.kernel @k(%x: i32 {cube.host = "u64"}) { cube.return }

// -----

// expected-error@+1 CUBE0127.unknown {op = "cube.kernel", index = "0", name = "uint"}
cube.kernel @k(%x: !cube.array<i32> {cube.host = "uint"}) { cube.return }

// -----

// expected-error@+1 CUBE0127.unknown {op = "cube.kernel", index = "0", name = "", known = "bool, i8, i16, i32, i64, u8, u16, u32, u64, e2m1, e2m3, e3m2, ue8m0, e4m3, e5m2, f16, bf16, flex32, f32, tf32, f64"}
cube.kernel @k(%x: i32 {cube.host = 4 : i32}) { cube.return }

// -----

// expected-error@+1 CUBE0128.no_buffer {op = "cube.kernel", index = "0"}
cube.kernel @k(%x: i32 {cube.access = "read"}) { cube.return }

// -----

// expected-error@+1 CUBE0128.word {op = "cube.kernel", index = "0", word = "readwrite"}
cube.kernel @k(%x: !cube.array<i32> {cube.access = "readwrite"}) { cube.return }

// -----

// expected-error@+1 CUBE0129 {op = "cube.kernel"}
cube.kernel @k(%x: i32) { %y = arith.addi %x, %x : i32 }

// -----

// expected-error@+1 CUBE0129 {op = "cube.func"}
cube.func @f(%x: i32) { scf.yield }

// -----

cube.kernel @k(%c: i1) {
  scf.if %c {
    // expected-error@+1 CUBE0130 {op = "cube.return", around = "scf.if"}
    cube.return
  }
  cube.return
}

// -----

func.func @f() {
  // expected-error@+1 CUBE0130 {op = "cube.return", around = "func.func"}
  cube.return
}

// -----

cube.func @f(%x: i32) -> (i32, f32) {
  // expected-error@+1 CUBE0131 {op = "cube.return", given = "i32", expected = "i32, f32"}
  cube.return %x : i32
}

// -----

cube.kernel @k(%x: i32) {
  // expected-error@+1 CUBE0131 {op = "cube.return", given = "i32", expected = ""}
  cube.return %x : i32
}

// -----

cube.kernel @k comptime(@M : i32, @F : type)() {
  // expected-error@+1 CUBE0132 {op = "cube.constant", name = "N", kernel = "k"}
  %n = cube.constant <@N> : i32
  cube.return
}

// -----

// expected-error@+1 CUBE0132 {op = "cube.kernel", name = "F", kernel = "k"}
cube.kernel @k(%x: !cube.array<!cube.param<@F>>) { cube.return }

// -----

cube.kernel @k(%x: !cube.array<f32, 4>, %i: i32) {
  // expected-error@+1 CUBE0133.line {op = "cube.load", word = "reads", ty = "f32", buffer = "!cube.array<f32, 4>", expected = "vector<4xf32>"}
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 CUBE0133.line {op = "cube.load", word = "reads", ty = "vector<1xf32>", buffer = "!cube.array<f32>", expected = "f32"}
  %v = cube.load %x[%i] : !cube.array<f32> -> vector<1xf32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32>, %i: i32, %v: i32) {
  // expected-error@+1 CUBE0133.line {op = "cube.store", word = "writes", ty = "i32", buffer = "!cube.array<f32>", expected = "f32"}
  cube.store %v, %x[%i] : i32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32, 4>, %i: i32) {
  %v = "test.make"() : () -> vector<2x2xf32>
  // expected-error@+1 CUBE0133.line {op = "cube.store", word = "writes", ty = "vector<2x2xf32>", buffer = "!cube.array<f32, 4>", expected = "vector<4xf32>"}
  cube.store %v, %x[%i] : vector<2x2xf32>, !cube.array<f32, 4>
  cube.return
}

// -----

cube.kernel @k(%y: i32, %x: !cube.array<f32> {cube.access = "read"}, %v: f32, %c: i1) {
  scf.if %c {
    // expected-error@+1 CUBE0134 {op = "cube.store", index = "1", kernel = "k"}
    cube.store %v, %x[%y] : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// expected-error@+1 CUBE0135 {op = "cube.kernel", name = "\"my kernel\""}
cube.kernel @"my kernel"() { cube.return }

// -----

// expected-error@+1 CUBE0135.name {op = "cube.kernel", name = "\"k.body\""}
cube.kernel @k.body() { cube.return }

// -----

// expected-error@+1 CUBE0135.name {op = "cube.kernel", name = "\"1k\""}
cube.kernel @"1k"() { cube.return }

// -----

// expected-error@+1 CUBE0135.name {op = "cube.kernel", name = "\"\""}
"cube.kernel"() <{cube_dim = array<i32: 8, 1, 1>, function_type = () -> (), sym_name = ""}> ({ "cube.return"() : () -> () }) : () -> ()

// -----

// expected-error@+1 CUBE0302.default {op = "cube.kernel", param = "N", default = "\"a\" : i32", kind = "a value of type i32"}
cube.kernel @k comptime(@N : i32 = "a")() { cube.return }

// -----

// expected-error@+1 CUBE0302.default {op = "cube.kernel", param = "F", default = "index", kind = "a float, an integer or a line of them"}
cube.kernel @k comptime(@F : type = index)() { cube.return }

// -----

cube.kernel @k comptime(@F : type)() {
  // expected-error@+1 CUBE0302.type_for_value {op = "cube.constant", name = "F"}
  %f = cube.constant <@F> : f32
  cube.return
}

// -----

cube.kernel @k comptime(@N : i32)() {
  // expected-error@+1 CUBE0302.declared {op = "cube.constant", name = "N", ty = "f32", of = "i32"}
  %f = cube.constant <@N> : f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32>) {
  %v = "test.make"() : () -> vector<2x2xi8>
  // expected-error@+1 {{'cube.divui' op operand #0 must be signless integer of at most 64 bits or fixed-length vector}}
  %w = cube.divui %v, %v : vector<2x2xi8>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32>) {
  %v = "test.make"() : () -> i128
  // expected-error@+1 {{'cube.shl' op operand #0 must be signless integer of at most 64 bits}}
  %w = cube.shl %v, %v : i128
  cube.return
}

// -----

cube.kernel @names_nothing(%a: i32) {
  // expected-error@+1 CUBE0152.no_name {op = "cube.generic"}
  %b = cube.generic(%a) : (i32) -> i32
  cube.return
}

// -----

cube.kernel @names_memory(%a: i32) {
  // expected-error@+1 CUBE0152.does_not_compute {op = "cube.generic", name = "memref.load"}
  %b = cube.generic int "memref.load"(%a) : (i32) -> i32
  cube.return
}
