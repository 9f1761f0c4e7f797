// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(convert-if-to-select))' --cube-remarks=analysis,passed --cube-stats -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(convert-if-to-select{limit=100}))' | FileCheck %s --check-prefix=LOW

// Both arms run before the select. An equal value in both arms needs no select.
// CHECK-LABEL: cube.kernel @cheap(
// CHECK:         %[[S:.*]] = arith.mulf %x, %y : f32
// CHECK-NEXT:    %[[D:.*]] = arith.subf %x, %y : f32
// CHECK-NEXT:    %[[R:.*]] = arith.select %p, %[[S]], %[[D]] : f32
// CHECK-NEXT:    cube.store %[[R]]
// CHECK-NEXT:    cube.store %y
// SAID: passed [convert-if-to-select:select] both arms run and selects choose the results, because their cost is 300
// LOW-LABEL: cube.kernel @cheap(
// LOW:         scf.if
cube.kernel @cheap(%out: !cube.array<f32>, %x: f32, %y: f32, %i: i32, %p: i1) cube_dim(64) {
  %r:2 = scf.if %p -> (f32, f32) {
    %s = arith.mulf %x, %y : f32
    scf.yield %s, %y : f32, f32
  } else {
    %d = arith.subf %x, %y : f32
    scf.yield %d, %y : f32, f32
  }
  cube.store %r#0, %out[%i] checked : f32, !cube.array<f32>
  cube.store %r#1, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// The inner branch becomes a select first, then the outer branch is cheap too.
// CHECK-LABEL: cube.kernel @nested(
// CHECK-NOT:     scf.if
// CHECK:         %[[A:.*]] = arith.addi %x, %y : i32
// CHECK:         %[[I:.*]] = arith.select %q, %[[A]], %x : i32
// CHECK:         arith.select %p, %[[I]], %y : i32
cube.kernel @nested(%out: !cube.array<i32>, %x: i32, %y: i32, %p: i1, %q: i1) cube_dim(64) {
  %r = scf.if %p -> (i32) {
    %i = scf.if %q -> (i32) {
      %s = arith.addi %x, %y : i32
      scf.yield %s : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %i : i32
  } else {
    scf.yield %y : i32
  }
  cube.store %r, %out[%x] checked : i32, !cube.array<i32>
  cube.return
}

// A vector, and a shift whose amount is masked.
// CHECK-LABEL: cube.kernel @lanes(
// CHECK:         %[[X:.*]] = vector.broadcast %v : i32 to vector<2xi32>
// CHECK-NEXT:    %[[S:.*]] = cube.shl %[[X]], %[[X]] : vector<2xi32>
// CHECK-NEXT:    arith.select %p, %[[S]], %[[X]] : vector<2xi32>
cube.kernel @lanes(%out: !cube.array<i32, 2>, %v: i32, %i: i32, %p: i1) cube_dim(64) {
  %x = vector.broadcast %v : i32 to vector<2xi32>
  %r = scf.if %p -> (vector<2xi32>) {
    %s = cube.shl %x, %x : vector<2xi32>
    scf.yield %s : vector<2xi32>
  } else {
    scf.yield %x : vector<2xi32>
  }
  cube.store %r, %out[%i] checked : vector<2xi32>, !cube.array<i32, 2>
  cube.return
}

// A division, a load, a shift of arith whose amount can be too large, a math function, a store, and costly arms.
// CHECK-LABEL: cube.kernel @kept(
// CHECK-COUNT-6: scf.if
// SAID: analysis [convert-if-to-select:branch] the branch stays, because 'cube.divui' is not cheap arithmetic
// SAID: analysis [convert-if-to-select:branch] the branch stays, because 'cube.load' is not cheap arithmetic
// SAID: analysis [convert-if-to-select:branch] the branch stays, because 'arith.shli' is not cheap arithmetic
// SAID: analysis [convert-if-to-select:branch] the branch stays, because 'math.exp' is not cheap arithmetic
// SAID: analysis [convert-if-to-select:branch] the branch stays, because 'cube.store' is not cheap arithmetic
// SAID: analysis [convert-if-to-select:branch] the branch stays, because its arms and the selects cost 700, more than 600
cube.kernel @kept(%out: !cube.array<i32>, %x: i32, %y: i32, %f: f32, %p: i1) cube_dim(64) {
  %a = scf.if %p -> (i32) {
    %s = cube.divui %x, %y : i32
    scf.yield %s : i32
  } else {
    scf.yield %x : i32
  }
  %b = scf.if %p -> (i32) {
    %s = cube.load %out[%a] checked : !cube.array<i32> -> i32
    scf.yield %s : i32
  } else {
    scf.yield %x : i32
  }
  %c = scf.if %p -> (i32) {
    %s = arith.shli %b, %y : i32
    scf.yield %s : i32
  } else {
    scf.yield %x : i32
  }
  %d = scf.if %p -> (f32) {
    %s = math.exp %f : f32
    scf.yield %s : f32
  } else {
    scf.yield %f : f32
  }
  %e = scf.if %p -> (i32) {
    cube.store %x, %out[%y] checked : i32, !cube.array<i32>
    scf.yield %c : i32
  } else {
    scf.yield %x : i32
  }
  %g = scf.if %p -> (i32) {
    %s = arith.addi %e, %x : i32
    %t = arith.xori %s, %y : i32
    %u = arith.addi %t, %x : i32
    %v = arith.andi %u, %y : i32
    scf.yield %v : i32
  } else {
    %s = arith.subi %e, %x : i32
    %t = arith.ori %s, %y : i32
    scf.yield %t : i32
  }
  cube.store %g, %out[%x] checked : i32, !cube.array<i32>
  %h = arith.fptosi %d : f32 to i32
  cube.store %h, %out[%y] checked : i32, !cube.array<i32>
  cube.return
}
