// RUN: cube-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error@+1 {{element type of a buffer must be an integer or a float, not 'vector<4xf32>'; write a line of elements as !cube.array<T, N> [CUBE0110]}}
cube.kernel @k(%x: !cube.array<vector<4xf32>>) { cube.return }

// -----

// expected-error@+1 {{element type of a buffer must be an integer or a float, not 'index'}}
cube.kernel @k(%x: !cube.array<index>) { cube.return }

// -----

// expected-error@+1 {{line size must be 1, 2, 4, 8 or 16, not 3 [CUBE0111]}}
cube.kernel @k(%x: !cube.array<f32, 3>) { cube.return }

// -----

// expected-error@+1 {{line size must be 1, 2, 4, 8 or 16, not 0 [CUBE0111]}}
cube.kernel @k(%x: !cube.array<f32, 0>) { cube.return }

// -----

// expected-error@+1 {{line size must be 1, 2, 4, 8 or 16, not 32 [CUBE0111]}}
cube.kernel @k(%x: !cube.array<f32, 32>) { cube.return }

// -----

cube.kernel @k() {
  // expected-error@+1 {{'cube.call' op calls @f, which is not a cube.func of this module; define it or mend the name [CUBE0112]}}
  cube.call @f() : () -> ()
  cube.return
}

// -----

cube.kernel @other() { cube.return }
cube.kernel @k() {
  // expected-error@+1 {{'cube.call' op calls @other, which is not a cube.func of this module}}
  cube.call @other() : () -> ()
  cube.return
}

// -----

cube.func @f(%x: i32) -> i32 { cube.return %x : i32 }
cube.kernel @k(%x: i64) {
  // expected-error@+1 {{'cube.call' op has type '(i64) -> i32' but @f has type '(i32) -> i32' [CUBE0113]}}
  %v = cube.call @f(%x) : (i64) -> i32
  cube.return
}

// -----

// expected-error@+1 {{'cube.kernel' has cube_dim [64, 0, 1]; give one to three sizes of at least 1, as in cube_dim(64, 2) [CUBE0120]}}
cube.kernel @k() cube_dim(64, 0) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has cube_dim [-1, 1, 1]}}
cube.kernel @k() cube_dim(-1) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has cube_dim [1, 1, 1, 1]}}
cube.kernel @k() cube_dim(1, 1, 1, 1) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has cube_dim [8]}}
"cube.kernel"() <{cube_dim = array<i32: 8>, function_type = () -> (), sym_name = "k"}> ({ "cube.return"() : () -> () }) : () -> ()

// -----

// expected-error@+1 {{'cube.kernel' has 65537 units a cube, the limit of all targets is 65536; use more and smaller cubes [CUBE0121]}}
cube.kernel @k() cube_dim(65537) { cube.return }

// -----

// expected-error@+1 {{has 18446744073709551615 units a cube}}
cube.kernel @k() cube_dim(2147483647, 2147483647, 2147483647) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has no body; give it one in braces [CUBE0122]}}
cube.kernel @k() {}

// -----

// expected-error@+1 {{'cube.func' has no body; functions of other modules cannot be called [CUBE0122]}}
cube.func @f() {}

// -----

// expected-error@+1 {{'cube.kernel' returns values; a kernel writes its results to buffers [CUBE0123]}}
cube.kernel @k(%x: i32) -> i32 { cube.return %x : i32 }

// -----

// expected-error@+1 {{'cube.kernel' declares comptime parameter @N 2 times; rename one [CUBE0124]}}
cube.kernel @k comptime(@N : i32, @M : i32, @N : type)() { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 1 has type index; arguments are !cube.array<T> or !cube.array<T, N>, the same with tensor, and scalars of i1, i8, f8E4M3FN, f8E5M2, i16, f16, bf16, i32, tf32, f32, i64, f64 [CUBE0125]}}
cube.kernel @k(%a: i32, %x: index) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has type si32}}
cube.kernel @k(%x: si32) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has type !cube.array<i128>}}
cube.kernel @k(%x: !cube.array<i128>) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has type vector<4xf32>}}
cube.kernel @k(%x: vector<4xf32>) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has the unknown attribute cube.hots (did you mean cube.host?); known are cube.access, cube.align, cube.derived, cube.host, cube.len, cube.noalias [CUBE0126]}}
cube.kernel @k(%x: i32 {cube.hots = "u32"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.host = "u64", which is i64 in IR, but its type is i32 [CUBE0127]}}
cube.kernel @k(%x: i32 {cube.host = "u64"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.host = "uint"; known are bool, i8, i16, i32, i64, u8, u16, u32, u64, e4m3, e5m2, f16, bf16, flex32, f32, tf32, f64 [CUBE0127]}}
cube.kernel @k(%x: !cube.array<i32> {cube.host = "uint"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.host = ""}}
cube.kernel @k(%x: i32 {cube.host = 4 : i32}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.access but is no buffer; remove it [CUBE0128]}}
cube.kernel @k(%x: i32 {cube.access = "read"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' argument 0 has cube.access = "readwrite"; known are read, write, read_write [CUBE0128]}}
cube.kernel @k(%x: !cube.array<i32> {cube.access = "readwrite"}) { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' does not end in cube.return; add it as the last operation [CUBE0129]}}
cube.kernel @k(%x: i32) { %y = arith.addi %x, %x : i32 }

// -----

// expected-error@+1 {{'cube.func' does not end in cube.return; add it as the last operation [CUBE0129]}}
cube.func @f(%x: i32) { scf.yield }

// -----

cube.kernel @k(%c: i1) {
  scf.if %c {
    // expected-error@+1 {{'cube.return' stands in scf.if; it may only end a cube.kernel or a cube.func, directly or from inside cube.if, cube.for and cube.loop [CUBE0130]}}
    cube.return
  }
  cube.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'cube.return' stands in func.func; it may only end a cube.kernel or a cube.func, directly or from inside cube.if, cube.for and cube.loop [CUBE0130]}}
  cube.return
}

// -----

cube.func @f(%x: i32) -> (i32, f32) {
  // expected-error@+1 {{'cube.return' returns (i32), but the signature says (i32, f32) [CUBE0131]}}
  cube.return %x : i32
}

// -----

cube.kernel @k(%x: i32) {
  // expected-error@+1 {{'cube.return' returns (i32), but the signature says () [CUBE0131]}}
  cube.return %x : i32
}

// -----

cube.kernel @k comptime(@M : i32, @F : type)() {
  // expected-error@+1 {{'cube.constant' uses comptime parameter @N, but kernel @k declares @M, @F; add it to comptime(...) [CUBE0132]}}
  %n = cube.constant <@N> : i32
  cube.return
}

// -----

// expected-error@+1 {{'cube.kernel' uses comptime parameter @F, but kernel @k declares none; add it to comptime(...) [CUBE0132]}}
cube.kernel @k(%x: !cube.array<!cube.param<@F>>) { cube.return }

// -----

cube.kernel @k(%x: !cube.array<f32, 4>, %i: i32) {
  // expected-error@+1 {{'cube.load' reads a f32, but a line of !cube.array<f32, 4> is vector<4xf32> [CUBE0133]}}
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> f32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32>, %i: i32) {
  // expected-error@+1 {{'cube.load' reads a vector<1xf32>, but a line of !cube.array<f32> is f32 [CUBE0133]}}
  %v = cube.load %x[%i] : !cube.array<f32> -> vector<1xf32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32>, %i: i32, %v: i32) {
  // expected-error@+1 {{'cube.store' writes a i32, but a line of !cube.array<f32> is f32 [CUBE0133]}}
  cube.store %v, %x[%i] : i32, !cube.array<f32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<f32, 4>, %i: i32) {
  %v = "test.make"() : () -> vector<2x2xf32>
  // expected-error@+1 {{'cube.store' writes a vector<2x2xf32>, but a line of !cube.array<f32, 4> is vector<4xf32> [CUBE0133]}}
  cube.store %v, %x[%i] : vector<2x2xf32>, !cube.array<f32, 4>
  cube.return
}

// -----

cube.kernel @k(%y: i32, %x: !cube.array<f32> {cube.access = "read"}, %v: f32, %c: i1) {
  scf.if %c {
    // expected-error@+1 {{'cube.store' writes to argument 1 of kernel @k, which is declared cube.access = "read"; make it "read_write" or write elsewhere [CUBE0134]}}
    cube.store %v, %x[%y] : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// expected-error@+1 {{'cube.kernel' has the name "my kernel"; a kernel's name becomes a symbol of the target: use letters, digits and _, a digit not first [CUBE0135]}}
cube.kernel @"my kernel"() { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has the name "k.body"}}
cube.kernel @k.body() { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has the name "1k"}}
cube.kernel @"1k"() { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' has the name ""}}
"cube.kernel"() <{cube_dim = array<i32: 8, 1, 1>, function_type = () -> (), sym_name = ""}> ({ "cube.return"() : () -> () }) : () -> ()

// -----

// expected-error@+1 {{'cube.kernel' gives comptime parameter @N the default "a" : i32, but it is a value of type i32 [CUBE0302]}}
cube.kernel @k comptime(@N : i32 = "a")() { cube.return }

// -----

// expected-error@+1 {{'cube.kernel' gives comptime parameter @F the default index, but it is a float, an integer or a line of them [CUBE0302]}}
cube.kernel @k comptime(@F : type = index)() { cube.return }

// -----

cube.kernel @k comptime(@F : type)() {
  // expected-error@+1 {{'cube.constant' takes @F for a value, but it is declared as a type; write !cube.param<@F> [CUBE0302]}}
  %f = cube.constant <@F> : f32
  cube.return
}

// -----

cube.kernel @k comptime(@N : i32)() {
  // expected-error@+1 {{'cube.constant' gives comptime parameter @N the type f32, but it is declared with i32 [CUBE0302]}}
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
  // expected-error@+1 {{'cube.generic' names no operation; write float "arith.addf" or int "arith.addi", or both [CUBE0152]}}
  %b = cube.generic(%a) : (i32) -> i32
  cube.return
}

// -----

cube.kernel @names_memory(%a: i32) {
  // expected-error@+1 {{'cube.generic' names 'memref.load', but only operations of arith, math and vector that compute can be chosen by type [CUBE0152]}}
  %b = cube.generic int "memref.load"(%a) : (i32) -> i32
  cube.return
}
