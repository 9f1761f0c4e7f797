// RUN: cube-opt %s --tighten-loop-bounds --allow-unregistered-dialect --cube-stats 2>%t.stats | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.stats

// CHECK-LABEL: @guard
// CHECK: %[[W:.*]] = arith.extui %arg2 : i32 to i64
// CHECK-NEXT: %[[E:.*]] = arith.minui %arg1, %[[W]] : i64
// CHECK-NEXT: scf.for unsigned %[[I:.*]] = %arg0 to %[[E]] step
// CHECK-NOT: scf.if
// CHECK: "test.effect"
func.func @guard(%a: i64, %b: i64, %n: i32) {
  %one = arith.constant 1 : i64
  scf.for unsigned %i = %a to %b step %one : i64 {
    %p = arith.trunci %i overflow<nuw> : i64 to i32
    %c = arith.cmpi ult, %p, %n : i32
    scf.if %c { "test.effect"(%p) : (i32) -> () }
  }
  return
}

// The comparison has swapped operands and no truncation; of a conjunction, only the comparison of the counter is moved.
// CHECK-LABEL: @conjunction
// CHECK: %[[E:.*]] = arith.minui %arg1, %arg2 : i64
// CHECK: scf.for unsigned %{{.*}} = %arg0 to %[[E]] step
// CHECK: scf.if %arg3 {
func.func @conjunction(%a: i64, %b: i64, %n: i64, %p: i1) {
  %one = arith.constant 1 : i64
  scf.for unsigned %i = %a to %b step %one : i64 {
    %c = arith.cmpi ugt, %n, %i : i64
    %d = arith.andi %p, %c : i1
    scf.if %d { "test.effect"(%i) : (i64) -> () }
  }
  return
}

// Each of these loops keeps its guard.
// CHECK-LABEL: @kept
// CHECK-NOT: arith.minui
func.func @kept(%a: i64, %b: i64, %n: i32, %m: i64, %d: i64) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  // a signed loop
  scf.for %i = %a to %b step %one : i64 {
    %c = arith.cmpi ult, %i, %m : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  // a loop with step 2
  scf.for unsigned %i = %a to %b step %two : i64 {
    %c = arith.cmpi ult, %i, %m : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  // a truncation that can lose bits
  scf.for unsigned %i = %a to %b step %one : i64 {
    %p = arith.trunci %i : i64 to i32
    %c = arith.cmpi ult, %p, %n : i32
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  // a signed comparison, `ule`, and a bound that the loop computes
  scf.for unsigned %i = %a to %b step %one : i64 {
    %c = arith.cmpi slt, %i, %m : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  scf.for unsigned %i = %a to %b step %one : i64 {
    %c = arith.cmpi ule, %i, %m : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  scf.for unsigned %i = %a to %b step %one : i64 {
    %own = arith.muli %i, %i : i64
    %c = arith.cmpi ult, %i, %own : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  // an `else` with an effect
  scf.for unsigned %i = %a to %b step %one : i64 {
    %c = arith.cmpi ult, %i, %m : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () } else { "test.other"(%i) : (i64) -> () }
  }
  // another effect outside of the guard, and a division that must not execute in the skipped iterations
  scf.for unsigned %i = %a to %b step %one : i64 {
    "test.effect"(%i) : (i64) -> ()
    %c = arith.cmpi ult, %i, %m : i64
    scf.if %c { "test.effect"(%i) : (i64) -> () }
  }
  scf.for unsigned %i = %a to %b step %one : i64 {
    %q = arith.divui %m, %d : i64
    %c = arith.cmpi ult, %i, %m : i64
    scf.if %c { "test.effect"(%q) : (i64) -> () }
  }
  // a loop-carried value
  %r = scf.for unsigned %i = %a to %b step %one iter_args(%s = %a) -> (i64) : i64 {
    %c = arith.cmpi ult, %i, %m : i64
    scf.if %c { "test.effect"(%s) : (i64) -> () }
    %t = arith.addi %s, %i : i64
    scf.yield %t : i64
  }
  return
}

// STATS: tighten-loop-bounds 2 loops shrunk
