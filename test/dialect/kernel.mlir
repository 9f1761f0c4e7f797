// RUN: cube-opt %s > %t.once
// RUN: cube-opt %t.once | diff %t.once -
// RUN: cube-opt %s --mlir-print-op-generic | cube-opt | diff %t.once -
// RUN: cube-opt %s --emit-bytecode -o %t.bc
// RUN: cube-opt %t.bc | diff %t.once -
// RUN: FileCheck %s --input-file=%t.once

// A cube has one unit by default; trailing sizes of 1 are not printed.
// CHECK: cube.kernel @smallest() cube_dim(1) {
cube.kernel @smallest() { cube.return }
// CHECK: cube.kernel @one() cube_dim(1) {
cube.kernel @one() cube_dim(1, 1, 1) { cube.return }
// CHECK: cube.kernel @inner() cube_dim(1, 1, 4) unchecked {
cube.kernel @inner() cube_dim(1, 1, 4) unchecked { cube.return }
// CHECK: cube.kernel @largest() cube_dim(256, 256) {
cube.kernel @largest() cube_dim(256, 256, 1) { cube.return }

// Names of arguments are printed again; a number such as %0 is not a name.
// CHECK: cube.kernel @names(%x: i32, %arg: i8, %y_2: i16) cube_dim(1) {
cube.kernel @names(%x: i32, %arg: i8, %y_2: i16) { cube.return }
// CHECK: cube.kernel @numbers(%arg0: i32, %arg1: i32) cube_dim(1) {
cube.kernel @numbers(%0: i32, %1: i32) { cube.return }

// Scalars and buffers of every host type.
// CHECK: cube.kernel @host(%a: i1 {cube.host = "bool"}, %b: !cube.array<i8> {cube.host = "u8"}
cube.kernel @host(%a: i1 {cube.host = "bool"}, %b: !cube.array<i8> {cube.host = "u8"}, %c: i8 {cube.host = "i8"},
    %d: i16 {cube.host = "i16"}, %e: i16 {cube.host = "u16"}, %f: i32 {cube.host = "i32"}, %g: i32 {cube.host = "u32"},
    %h: i64 {cube.host = "i64"}, %i: i64 {cube.host = "u64"}, %j: f16 {cube.host = "f16"}, %k: bf16 {cube.host = "bf16"},
    %l: f32 {cube.host = "f32"}, %m: !cube.array<f64, 2> {cube.host = "f64", cube.access = "write"},
    %n: !cube.array<i64, 16> {cube.access = "read_write", other.thing = 1 : i32}) { cube.return }

// Comptime parameters of every type, with and without a default, and with the type of another parameter.
// CHECK: cube.kernel @params comptime(@B : i1 = true, @I : index, @L : i64 = -3, @H : f16 = 5.000000e-01, @F : type, @G : type = bf16, @A : !cube.param<@F>, @C : !cube.param<@F> = 1.000000e-01, @V : vector<2xi32> = dense<[1, 2]>)(%x: !cube.array<!cube.param<@F>, 8>, %s: !cube.param<@G>) cube_dim(1) {
cube.kernel @params comptime(@B : i1 = true, @I : index, @L : i64 = -3, @H : f16 = 0.5, @F : type, @G : type = bf16, @A : !cube.param<@F>, @C : !cube.param<@F> = 0.1, @V : vector<2xi32> = dense<[1, 2]>)(%x: !cube.array<!cube.param<@F>, 8>, %s: !cube.param<@G>) {
  // CHECK: cube.constant <@B> : i1
  %b = cube.constant <@B> : i1
  // CHECK: cube.constant <@C> : !cube.param<@F>
  %c = cube.constant <@C> : !cube.param<@F>
  // CHECK: arith.constant 3.300000e-01 : !cube.param<@F>
  %k = arith.constant 0.33 : !cube.param<@F>
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : !cube.param<@F>
  %d = arith.addf %c, %k fastmath<contract> : !cube.param<@F>
  // CHECK: math.exp %{{.*}} : !cube.param<@F>
  %e = math.exp %d : !cube.param<@F>
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : !cube.param<@F>
  %f = arith.cmpf olt, %d, %e : !cube.param<@F>
  // CHECK: vector.broadcast %{{.*}} : !cube.param<@F> to vector<8x!cube.param<@F>>
  %g = vector.broadcast %e : !cube.param<@F> to vector<8x!cube.param<@F>>
  // CHECK: arith.fptosi %{{.*}} : !cube.param<@F> to i32
  %h = arith.fptosi %e : !cube.param<@F> to i32
  // CHECK: cube.store %{{.*}}, %x[%{{.*}}] : vector<8x!cube.param<@F>>, !cube.array<!cube.param<@F>, 8>
  cube.store %g, %x[%h] : vector<8x!cube.param<@F>>, !cube.array<!cube.param<@F>, 8>
  cube.return
}

// Functions can use the comptime parameters of their callers; names with blanks are quoted.
// CHECK: cube.func private @"a b"(%x: !cube.param<@F>) -> !cube.param<@F> attributes {note} {
cube.func private @"a b"(%x: !cube.param<@F>) -> !cube.param<@F> attributes {note} {
  // CHECK: cube.constant <@N> : i32
  %n = cube.constant <@N> : i32
  cube.return %x : !cube.param<@F>
}

// A nested module has a separate symbol table.
// CHECK: module @inside {
// CHECK: cube.kernel @smallest
module @inside {
  cube.kernel @smallest() { cube.return }
}
