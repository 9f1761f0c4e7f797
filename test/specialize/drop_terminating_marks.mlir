// RUN: cube-opt %s --drop-terminating-marks --split-input-file | FileCheck %s

// The counter grows by one in each iteration while it is below a limit: the loop terminates.
// CHECK-LABEL: @below(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @below(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter decreases by one until it equals the limit: the loop terminates for every start.
// CHECK-LABEL: @until(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @until(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ne, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.subi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter is halved until it is 0: the loop terminates.
// CHECK-LABEL: @halves(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @halves(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ne, %i, %zero : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = cube.shrui %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter is divided, and the operands of the comparison are swapped: the loop terminates.
// CHECK-LABEL: @quarters(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @quarters(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ugt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = cube.divui %i, %four : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// A signed counter decreases below the limit: the loop terminates.
// CHECK-LABEL: @signed_down(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @signed_down(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi sgt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.subi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter grows in steps and cannot wrap before it reaches the limit: the loop terminates.
// CHECK-LABEL: @in_fours(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @in_fours(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %sixty : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %four : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// With a constant start and limit, the iterations are counted: the loop terminates.
// CHECK-LABEL: @doubles(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @doubles(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %one) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %sixty : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.muli %i, %two : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The limit can be the largest integer, which no counter exceeds: termination is not proven.
// CHECK-LABEL: @up_to(
// CHECK: cube.may_not_terminate
cube.kernel @up_to(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ule, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// A step of two can skip the limit in every round: termination is not proven.
// CHECK-LABEL: @in_twos(
// CHECK: cube.may_not_terminate
cube.kernel @in_twos(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %two : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// An arithmetic shift halves -1 to -1: termination is not proven.
// CHECK-LABEL: @halves_signed(
// CHECK: cube.may_not_terminate
cube.kernel @halves_signed(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ne, %i, %zero : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = cube.shrsi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter grows away from the limit: termination is not proven.
// CHECK-LABEL: @away(
// CHECK: cube.may_not_terminate
cube.kernel @away(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ugt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// A counter of 0 stays 0 when doubled: termination is not proven.
// CHECK-LABEL: @doubles_zero(
// CHECK: cube.may_not_terminate
cube.kernel @doubles_zero(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %sixty : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.muli %i, %two : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// Every unsigned integer is at least 0: termination is not proven.
// CHECK-LABEL: @down_to(
// CHECK: cube.may_not_terminate
cube.kernel @down_to(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi uge, %i, %zero : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.subi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter does not change: termination is not proven.
// CHECK-LABEL: @nothing(
// CHECK: cube.may_not_terminate
cube.kernel @nothing(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %sixty = arith.constant 60 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %zero : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// A loop with an early exit carries a flag, and the counter grows if the loop continues: the loop terminates. The
// loop-carried sum has no effect on the proof.
// CHECK-LABEL: @flag(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @flag(%b: !cube.array<i32>, %n: i32) cube_dim(1) {
  %yes = arith.constant true
  %no = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.while (%left = %no, %i = %zero, %sum = %zero) : (i1, i32, i32) -> (i1, i32, i32) {
    %goes_on = arith.xori %left, %yes : i1
    scf.condition(%goes_on) %left, %i, %sum : i1, i32, i32
  } do {
  ^bb0(%left: i1, %i: i32, %sum: i32):
    cube.may_not_terminate
    %c = arith.cmpi ult, %i, %n : i32
    %leaves = arith.select %c, %left, %yes : i1
    %next:2 = scf.if %leaves -> (i32, i32) {
      scf.yield %i, %sum : i32, i32
    } else {
      %v = cube.load %b[%i] : !cube.array<i32> -> i32
      %more = arith.addi %sum, %v : i32
      %after = arith.addi %i, %one : i32
      scf.yield %after, %more : i32, i32
    }
    scf.yield %leaves, %next#0, %next#1 : i1, i32, i32
  }
  cube.store %r#2, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The counter grows only in some iterations: termination is not proven.
// CHECK-LABEL: @sometimes(
// CHECK: cube.may_not_terminate
cube.kernel @sometimes(%b: !cube.array<i32>, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %v = cube.load %b[%i] : !cube.array<i32> -> i32
    %odd = arith.trunci %v : i32 to i1
    %after = arith.addi %i, %one : i32
    %next = arith.select %odd, %after, %i : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// The limit grows too: termination is not proven.
// CHECK-LABEL: @chase(
// CHECK: cube.may_not_terminate
cube.kernel @chase(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last:2 = scf.while (%i = %x, %limit = %n) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi ult, %i, %limit : i32
    scf.condition(%c) %i, %limit : i32, i32
  } do {
  ^bb0(%i: i32, %limit: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %one : i32
    %farther = arith.addi %limit, %one : i32
    scf.yield %next, %farther : i32, i32
  }
  cube.store %last#0, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// If the loop continues only while both conditions hold, one of them suffices for the proof.
// CHECK-LABEL: @both(
// CHECK-NOT: cube.may_not_terminate
cube.kernel @both(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %v = cube.load %b[%i] : !cube.array<i32> -> i32
    %wanted = arith.cmpi ne, %v, %n : i32
    %inside = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %wanted, %inside : i1
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}

// -----

// If the loop continues while either condition holds, one condition proves nothing.
// CHECK-LABEL: @either(
// CHECK: cube.may_not_terminate
cube.kernel @either(%b: !cube.array<i32>, %x: i32, %n: i32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.while (%i = %x) : (i32) -> i32 {
    %v = cube.load %b[%i] : !cube.array<i32> -> i32
    %wanted = arith.cmpi ne, %v, %n : i32
    %inside = arith.cmpi slt, %i, %n : i32
    %c = arith.ori %wanted, %inside : i1
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    cube.may_not_terminate
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  cube.store %last, %b[%zero] : i32, !cube.array<i32>
  cube.return
}
