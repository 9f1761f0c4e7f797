// RUN: cube-opt %s --structure-exits --split-input-file --verify-diagnostics

cube.func @f(%x: !cube.array<i32>, %p: i1) -> !cube.array<i32> {
  cube.if %p {
    // expected-error@+1 CUBE0305.early {ty = "!cube.array<i32>"}
    cube.return %x : !cube.array<i32>
  }
  cube.return %x : !cube.array<i32>
}

// -----

cube.func @f(%v: vector<3xf32>, %p: i1) -> vector<3xf32> {
  cube.if %p {
    // expected-error@+1 CUBE0305.early {ty = "vector<3xf32>"}
    cube.return %v : vector<3xf32>
  }
  cube.return %v : vector<3xf32>
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>, %n: i32, %p: i1) {
  %z = scf.if %p -> !cube.array<i32> {
    cube.if %p { cube.terminate }
    // expected-error@+1 CUBE0305.after {ty = "!cube.array<i32>", around = "scf.if"}
    scf.yield %x : !cube.array<i32>
  } else {
    scf.yield %y : !cube.array<i32>
  }
  cube.return
}

// -----

cube.kernel @k(%p: i1) {
  %n = arith.constant 8 : index
  // expected-error@+1 CUBE0306 {op = "scf.forall"}
  scf.forall (%i) in (%n) {
    cube.if %p { cube.terminate }
  }
  cube.return
}
