// Tests expect diagnostics by code and arguments. A missing diagnostic and an impossible expectation fail.
// RUN: split-file %s %t

// RUN: cube-opt %t/met.mlir --verify-diagnostics --split-input-file
// RUN: cube-opt --verify-diagnostics --split-input-file < %t/met.mlir

// RUN: not cube-opt %t/value.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: unexpected error: 'cube.alloc' requires 400000000 bytes
// VALUE: expected error
// RUN: not cube-opt %t/rule.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: cube-opt: error[CUBE0604]: {{.*}}rule.mlir: line 2: no single rule is called CUBE0143; rules of CUBE0143 are CUBE0143.step, CUBE0143.counter
// RUN: not cube-opt %t/argument.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error[CUBE0604]: {{.*}}argument.mlir: line 2: CUBE0138.bytes has no argument byte; it has bytes, limit, op

// The same diagnostic in JSON.
// RUN: not cubec %t/json.mlir -o - --message-format=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: {"arguments":{"bytes":400000000,"limit":268435456},"code":"CUBE0138","location":{"column":{{[0-9]+}},"file":"{{.*}}json.mlir","line":2},"message":"'cube.alloc' requires 400000000 bytes, {{.*}}","notes":[],"op":"cube.alloc","rule":"CUBE0138.bytes","severity":"error"}

//--- met.mlir
cube.kernel @k() {
  // expected-error@+1 CUBE0138 {op = "cube.alloc", bytes = "400000000", limit = "268435456"}
  %m = cube.alloc : !cube.shared<100000000 x f32>
  cube.return
}

// -----

cube.kernel @k() {
  // expected-error@+1 CUBE0138.bytes
  %m = cube.alloc : !cube.shared<100000000 x f32>
  cube.return
}

//--- value.mlir
cube.kernel @k() {
  // expected-error@+1 CUBE0138 {bytes = "400000001"}
  %m = cube.alloc : !cube.shared<100000000 x f32>
  cube.return
}

//--- rule.mlir
cube.kernel @k() {
  // expected-error@+1 CUBE0143
  cube.return
}

//--- argument.mlir
cube.kernel @k() {
  // expected-error@+1 CUBE0138 {byte = "400000000"}
  cube.return
}

//--- json.mlir
cube.kernel @k() {
  %m = cube.alloc : !cube.shared<100000000 x f32>
  cube.return
}
