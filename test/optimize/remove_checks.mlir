// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(remove-checks))' --split-input-file --cube-stats 2>%t.stats | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.stats

// The condition of an if proves the index below the length: either operand order, also in a conjunction.
// CHECK-LABEL: @guard
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.store %{{.*}}, %x[%i] inbounds by guard
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.load %x[%i] inbounds by guard
cube.kernel @guard(%x: !cube.array<f32>, %i: i32, %p: i1) {
  %n = cube.len %x : !cube.array<f32>
  %ult = arith.cmpi ult, %i, %n : i32
  scf.if %ult {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  }
  %ugt = arith.cmpi ugt, %n, %i : i32
  scf.if %ugt {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %x[%i] inbounds : f32, !cube.array<f32>
  }
  %both = arith.andi %p, %ult : i1
  %three = arith.andi %both, %p : i1
  scf.if %three {
    scf.if %p {
      %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
      cube.store %v, %x[%i] inbounds : f32, !cube.array<f32>
    }
  }
  cube.return
}

// -----

// An unsigned loop whose upper bound is the length.
// CHECK-LABEL: @loop
// CHECK: cube.load %x[%{{.*}}] inbounds by loop_bound
cube.kernel @loop(%x: !cube.array<f32>, %y: !cube.array<f32>, %from: i32, %step: i32) {
  %n = cube.len %x : !cube.array<f32>
  scf.for unsigned %k = %from to %n step %step : i32 {
    %v = cube.load %x[%k] checked : !cube.array<f32> -> f32
    cube.store %v, %y[%from] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The condition of a while is true in its second region, for the values that it forwards. A number below the minimum of two
// lengths is below both, also if the minimum is the end of a loop.
// CHECK-LABEL: @while
// CHECK: cube.load %x[%{{.*}}] inbounds by guard
// CHECK: cube.store %{{.*}}, %y[%{{.*}}] inbounds by guard
// CHECK: cube.store %{{.*}}, %z[%{{.*}}] checked
// CHECK: cube.load %y[%{{.*}}] inbounds by loop_bound
cube.kernel @while(%x: !cube.array<f32>, %y: !cube.array<f32>, %z: !cube.array<f32>, %from: i32, %step: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = cube.len %x : !cube.array<f32>
  %b = cube.len %y : !cube.array<f32>
  %n = arith.minui %a, %b : i32
  %end = scf.while (%i = %from) : (i32) -> i32 {
    %more = arith.cmpi ult, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %y[%i] checked : f32, !cube.array<f32>
    cube.store %v, %z[%i] checked : f32, !cube.array<f32>
    %next = arith.addi %i, %step : i32
    scf.yield %next : i32
  }
  scf.for unsigned %k = %zero to %n step %one : i32 {
    %v = cube.load %y[%k] checked : !cube.array<f32> -> f32
    cube.store %v, %x[%k] inbounds : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The index is not the compared value: the next index, the index before the check, the result of the loop, an argument whose
// value the condition does not compare, a maximum, and one of two conditions.
// CHECK-LABEL: @no_while
// CHECK-NOT: inbounds
// CHECK: cube.return
cube.kernel @no_while(%x: !cube.array<f32>, %y: !cube.array<f32>, %from: i32, %step: i32, %p: i1) {
  %a = cube.len %x : !cube.array<f32>
  %b = cube.len %y : !cube.array<f32>
  %n = arith.maxui %a, %b : i32
  %end:2 = scf.while (%i = %from, %j = %step) : (i32, i32) -> (i32, i32) {
    %early = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %early, %y[%step] checked : f32, !cube.array<f32>
    %more = arith.cmpi ult, %i, %a : i32
    scf.condition(%more) %j, %i : i32, i32
  } do {
  ^bb0(%j: i32, %i: i32):
    %v = cube.load %x[%j] checked : !cube.array<f32> -> f32
    %next = arith.addi %i, %step : i32
    cube.store %v, %x[%next] checked : f32, !cube.array<f32>
    cube.store %v, %y[%i] checked : f32, !cube.array<f32>
    scf.yield %next, %j : i32, i32
  }
  %late = cube.load %x[%end#1] checked : !cube.array<f32> -> f32
  %most = scf.while (%i = %from) : (i32) -> i32 {
    %more = arith.cmpi ult, %i, %n : i32
    %either = arith.ori %more, %p : i1
    scf.condition(%either) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.store %late, %x[%i] checked : f32, !cube.array<f32>
    %next = arith.addi %i, %step : i32
    scf.yield %next : i32
  }
  %last = scf.while (%i = %from) : (i32) -> i32 {
    %more = arith.cmpi ult, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.store %late, %x[%i] checked : f32, !cube.array<f32>
    %next = arith.addi %i, %step : i32
    scf.yield %next : i32
  }
  cube.return
}

// -----

// Each of these guards resembles a proof, but proves nothing.
// CHECK-LABEL: @no_proof
// CHECK-NOT: inbounds
// CHECK: cube.return
cube.kernel @no_proof(%x: !cube.array<f32>, %y: !cube.array<f32>, %i: i32, %j: i32, %p: i1) {
  %v0 = arith.constant 1.0 : f32
  %n = cube.len %x : !cube.array<f32>
  %ult = arith.cmpi ult, %i, %n : i32
  // the else branch
  scf.if %ult {
  } else {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %y[%j] checked : f32, !cube.array<f32>
  }
  // another index, another buffer
  scf.if %ult {
    %v = cube.load %x[%j] checked : !cube.array<f32> -> f32
    cube.store %v, %y[%i] checked : f32, !cube.array<f32>
  }
  // signed, not strict, swapped operands, unequal
  %slt = arith.cmpi slt, %i, %n : i32
  %ule = arith.cmpi ule, %i, %n : i32
  %turned = arith.cmpi ult, %n, %i : i32
  %ne = arith.cmpi ne, %i, %n : i32
  scf.if %slt { cube.store %v0, %x[%i] checked : f32, !cube.array<f32> }
  scf.if %ule { cube.store %v0, %x[%i] checked : f32, !cube.array<f32> }
  scf.if %turned { cube.store %v0, %x[%i] checked : f32, !cube.array<f32> }
  scf.if %ne { cube.store %v0, %x[%i] checked : f32, !cube.array<f32> }
  // a disjunction, and a store outside of the if
  %or = arith.ori %ult, %p : i1
  scf.if %or { cube.store %v0, %x[%i] checked : f32, !cube.array<f32> }
  cube.store %v0, %x[%i] checked : f32, !cube.array<f32>
  // a signed loop, to which a length above 2^31 is negative
  %one = arith.constant 1 : i32
  scf.for %k = %i to %n step %one : i32 { cube.store %v0, %x[%k] checked : f32, !cube.array<f32> }
  // the length as lower bound, and the counter plus one
  scf.for unsigned %k = %n to %i step %one : i32 { cube.store %v0, %x[%k] checked : f32, !cube.array<f32> }
  scf.for unsigned %k = %i to %n step %one : i32 {
    %next = arith.addi %k, %one : i32
    cube.store %v0, %x[%next] checked : f32, !cube.array<f32>
  }
  cube.return
}

// STATS-DAG: remove-checks 17 checks proven
// STATS-DAG: remove-checks 30 checks kept

// -----

// The guard requires a minimum length of the buffer, which covers all values of the index. A length that is one too
// small, an index that a predicate has replaced, and an index without a range prove nothing.
// CHECK-LABEL: @length
// CHECK: cube.load %x[%[[I:.*]]] inbounds by length
// CHECK: cube.load %x[%[[I]]] inbounds by length
// CHECK: cube.load %x[%[[I]]] checked
// CHECK: %[[J:.*]] = arith.select
// CHECK: cube.load %x[%[[J]]] checked
// CHECK: cube.load %x[%any] checked
// CHECK: cube.load %x[%[[S:.*]]] inbounds by length
// CHECK: cube.load %{{[0-9]+}}[%[[I]]] inbounds by range
// CHECK: cube.load %{{[0-9]+}}[%[[S]]] inbounds by range
cube.kernel @length(%x: !cube.array<f32>, %any: i32, %p: i1) {
  %n = cube.len %x : !cube.array<f32>
  %63 = arith.constant 63 : i32
  %64 = arith.constant 64 : i32
  %none = arith.constant -1 : i32
  %i = arith.andi %any, %63 : i32
  // A swizzle of a number below 48 changes only bits inside of its block of 16.
  %47 = arith.constant 47 : i32
  %4 = arith.constant 4 : i32
  %12 = arith.constant 12 : i32
  %low = arith.minui %any, %47 : i32
  %high = cube.shrui %low, %4 : i32
  %bits = arith.andi %high, %12 : i32
  %s = arith.xori %low, %bits : i32
  %long = arith.cmpi uge, %n, %64 : i32
  scf.if %long {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  %more = arith.cmpi ult, %63, %n : i32
  scf.if %more {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  %short = arith.cmpi uge, %n, %63 : i32
  scf.if %short {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  scf.if %long {
    %j = arith.select %p, %i, %none : i32
    %v = cube.load %x[%j] checked : !cube.array<f32> -> f32
  }
  scf.if %long {
    %v = cube.load %x[%any] checked : !cube.array<f32> -> f32
  }
  %48 = arith.constant 48 : i32
  %enough = arith.cmpi uge, %n, %48 : i32
  scf.if %enough {
    %v = cube.load %x[%s] checked : !cube.array<f32> -> f32
  }
  %m = cube.alloc : !cube.shared<64 x f32>
  %w = cube.load %m[%i] checked : !cube.shared<64 x f32> -> f32
  %b = cube.alloc : !cube.shared<48 x f32>
  %t = cube.load %b[%s] checked : !cube.shared<48 x f32> -> f32
  cube.return
}

// -----

// Proofs in the text are derived again. A proof that still holds is kept or replaced; a proof that is false, or was
// moved out of its guard or to another index, becomes a check; a promise stays a promise.
// CHECK-LABEL: @renewed
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.load %x[%j] checked
// CHECK: cube.store %{{.*}}, %x[%i] checked
// CHECK: cube.load %x[%i] checked
// CHECK: cube.load %x[%i] checked
// CHECK: cube.load %x[%i] checked
// CHECK: cube.load %{{[0-9]+}}[%i] checked
// CHECK: cube.atomic_rmw addi %{{.*}}, %z[%i] checked
// CHECK: cube.load %x[%i] inbounds :
cube.kernel @renewed(%x: !cube.array<f32>, %z: !cube.array<i32>, %i: i32, %j: i32) {
  %n = cube.len %x : !cube.array<f32>
  %ult = arith.cmpi ult, %i, %n : i32
  scf.if %ult {
    %v = cube.load %x[%i] inbounds by guard : !cube.array<f32> -> f32
    %w = cube.load %x[%i] inbounds by length : !cube.array<f32> -> f32
    %u = cube.load %x[%j] inbounds by guard : !cube.array<f32> -> f32
    scf.yield
  } else {
    %f = arith.constant 1.0 : f32
    cube.store %f, %x[%i] inbounds by guard : f32, !cube.array<f32>
  }
  %a = cube.load %x[%i] inbounds by guard : !cube.array<f32> -> f32
  %b = cube.load %x[%i] inbounds by loop_bound : !cube.array<f32> -> f32
  %c = cube.load %x[%i] inbounds by length : !cube.array<f32> -> f32
  %m = cube.alloc : !cube.shared<64 x f32>
  %d = cube.load %m[%i] inbounds by range : !cube.shared<64 x f32> -> f32
  %g = cube.atomic_rmw addi %j, %z[%i] inbounds by guard : i32, !cube.array<i32>
  %e = cube.load %x[%i] inbounds : !cube.array<f32> -> f32
  cube.return
}

// STATS-DAG: remove-checks 7 proofs dropped

// -----

// The access is under the negated condition: other units have returned. A false conjunction proves neither operand.
// CHECK-LABEL: @outside_of
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.load %x[%i] inbounds by guard
// CHECK: cube.load %x[%i] checked
// CHECK: cube.load %x[%i] checked
// CHECK: cube.load %x[%i] checked
cube.kernel @outside_of(%x: !cube.array<f32>, %i: i32, %p: i1) {
  %true = arith.constant true
  %n = cube.buffer_len %x : !cube.array<f32>
  %idle = arith.cmpi uge, %i, %n : i32
  %idle_too = arith.cmpi ule, %n, %i : i32
  scf.if %idle { } else {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  %either = arith.ori %p, %idle_too : i1
  scf.if %either { } else {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  %works = arith.xori %idle, %true : i1
  scf.if %works {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  } else {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  %both = arith.andi %p, %idle : i1
  scf.if %both { } else {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  scf.if %idle {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  }
  cube.return
}

// A select between the guarded index and 0 is below the length too; a select between the index and 1 is not.
// CHECK-LABEL: @choice
// CHECK: scf.if
// CHECK:   cube.load %x[%{{.*}}] inbounds by guard
// CHECK:   cube.load %x[%{{.*}}] checked
cube.kernel @choice(%x: !cube.array<f32>, %i: i32, %some: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.len %x : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %j = arith.select %some, %i, %zero : i32
    %v = cube.load %x[%j] checked : !cube.array<f32> -> f32
    %k = arith.select %some, %i, %one : i32
    %w = cube.load %x[%k] checked : !cube.array<f32> -> f32
  }
  cube.return
}
