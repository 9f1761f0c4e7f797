// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=T=i8}))' --verify-diagnostics --split-input-file
// RUN: not cube-opt %s --pass-pipeline='builtin.module(cube.kernel(specialize{params=T=vector<4xf32>}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=LINE

cube.kernel @floats_only comptime(@T : type = f32)(%x: !cube.array<!cube.param<@T>>, %a: !cube.param<@T>) {
  // expected-error@+1 CUBE0316.floats {op = "arith.addf", name = "T", to = "i8"}
  %b = arith.addf %a, %a : !cube.param<@T>
  cube.return
}

// -----

cube.kernel @no_ints comptime(@T : type = f32)(%x: !cube.array<!cube.param<@T>>, %a: !cube.param<@T>) {
  // expected-error@+1 CUBE0316.generic {op = "cube.generic", what = "integers", word = "int"}
  %b = cube.generic float "arith.addf"(%a, %a) : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  cube.return
}

// -----

cube.kernel @too_large comptime(@T : type = f32)() {
  // expected-error@+1 CUBE0316.constant {values = "[300.0]", ty = "i8"}
  %b = arith.constant 300.0 : !cube.param<@T>
  cube.return
}

// -----

cube.kernel @no_whole_number comptime(@T : type = f32)() {
  // expected-error@+1 CUBE0316.constant {values = "[1.0, 0.5]", ty = "vector<2xi8>"}
  %b = arith.constant dense<[1.0, 0.5]> : vector<2x!cube.param<@T>>
  cube.return
}

// -----

// expected-error@+1 CUBE0316.value {value = "5.000000e-01 : !cube.param<@T>", name = "A"}
cube.kernel @value comptime(@T : type = f32, @A : !cube.param<@T> = 0.5)() {
  cube.return
}

// -----

cube.kernel @no_operation comptime(@T : type = f32)(%a: !cube.param<@T>) {
  // expected-error@+1 CUBE0152.unknown {op = "cube.generic", name = "arith.plus"}
  %b = cube.generic int "arith.plus"(%a, %a) : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  cube.return
}

// -----

cube.kernel @wrong_shape comptime(@T : type = f32)(%a: !cube.param<@T>) {
  // expected-error@+1 {{expected 2 operands, but found 1}}
  %b = cube.generic int "arith.addi"(%a) : (!cube.param<@T>) -> !cube.param<@T>
  cube.return
}

// -----

cube.kernel @wrong_attribute comptime(@T : type = f32)(%a: !cube.param<@T>) {
  // expected-error@+1 CUBE0152.attribute {name = "arith.addi", value = "3 : i32", entry = "overflowFlags"}
  %b = cube.generic int "arith.addi" with {overflowFlags = 3 : i32}(%a, %a) : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  cube.return
}

// -----

cube.kernel @line_of_lines comptime(@T : type = f32)(%x: !cube.array<!cube.param<@T>, 2>, %i: i32) {
  // LINE: error: the type vector<2x!cube.param<@T>> is a line of lines, because @T is vector<4xf32>; use a number type for @T, or write the type without a line [CUBE0316]
  %b = cube.load %x[%i] : !cube.array<!cube.param<@T>, 2> -> vector<2x!cube.param<@T>>
  cube.return
}
