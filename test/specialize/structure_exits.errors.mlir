// RUN: cube-opt %s --structure-exits --split-input-file --verify-diagnostics

cube.func @f(%x: !cube.array<i32>, %p: i1) -> !cube.array<i32> {
  cube.if %p {
    // expected-error@+1 {{returns a !cube.array<i32> from inside control flow; only numbers and lines of 1, 2, 4, 8 or 16 can be returned early, return it at the end [CUBE0305]}}
    cube.return %x : !cube.array<i32>
  }
  cube.return %x : !cube.array<i32>
}

// -----

cube.func @f(%v: vector<3xf32>, %p: i1) -> vector<3xf32> {
  cube.if %p {
    // expected-error@+1 {{returns a vector<3xf32> from inside control flow; only numbers and lines of 1, 2, 4, 8 or 16 can be returned early, return it at the end [CUBE0305]}}
    cube.return %v : vector<3xf32>
  }
  cube.return %v : vector<3xf32>
}

// -----

cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>, %n: i32, %p: i1) {
  %z = scf.if %p -> !cube.array<i32> {
    cube.if %p { cube.terminate }
    // expected-error@+1 {{gives on a !cube.array<i32> after the unit may have ended; only numbers can be, end the unit outside of scf.if [CUBE0305]}}
    scf.yield %x : !cube.array<i32>
  } else {
    scf.yield %y : !cube.array<i32>
  }
  cube.return
}

// -----

cube.kernel @k(%p: i1) {
  %n = arith.constant 8 : index
  // expected-error@+1 {{'scf.forall' holds an exit that leaves it; write the loop or branch with cube.for, cube.loop or cube.if [CUBE0306]}}
  scf.forall (%i) in (%n) {
    cube.if %p { cube.terminate }
  }
  cube.return
}
