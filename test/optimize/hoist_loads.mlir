// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(hoist-loads))' --cube-remarks=missed,passed --cube-stats --split-input-file -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --compile-to=legalize --split-input-file | FileCheck %s --check-prefix=LEGAL

// A loop-invariant line of an argument is hoisted with its index arithmetic; other loads of the loop stay.
// CHECK-LABEL: cube.kernel @line
// CHECK:      %[[AT:.*]] = arith.muli %p, %{{.*}} : i32
// CHECK-NEXT: %[[V:.*]] = cube.load %points[%[[AT]]] checked
// CHECK-NEXT: scf.for
// CHECK-NEXT:   %[[W:.*]] = cube.load %near[%{{.*}}] checked
// CHECK-NEXT:   arith.mulf %[[V]], %[[W]]
// SAID: remark: passed [hoist-loads:hoist] the load reads the same value in each iteration, and runs before the loop
// The bounds check is hoisted with the load.
// LEGAL-LABEL: cube.kernel @line
// LEGAL:       scf.if
// LEGAL:         memref.load %points
// LEGAL:       scf.for
// LEGAL-NOT:     memref.load %points
// LEGAL:       cube.return
cube.kernel @line(%points: !cube.array<f32, 4>, %near: !cube.array<f32, 4>, %out: !cube.array<f32, 4>, %p: i32, %k: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : vector<4xf32>
  %sum = scf.for unsigned %c = %zero to %k step %one iter_args(%so_far = %none) -> (vector<4xf32>) : i32 {
    %at = arith.muli %p, %two : i32
    %v = cube.load %points[%at] checked : !cube.array<f32, 4> -> vector<4xf32>
    %w = cube.load %near[%c] checked : !cube.array<f32, 4> -> vector<4xf32>
    %m = arith.mulf %v, %w : vector<4xf32>
    %next = arith.addf %so_far, %m : vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  cube.store %sum, %out[%p] checked : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// -----

// A load is hoisted out of two loops, out of the inner loop only, and with an index that is loaded.
// CHECK-LABEL: cube.kernel @nested
// CHECK:      %[[J:.*]] = cube.load %index[%i] checked
// CHECK-NEXT: cube.load %x[%[[J]]] checked
// CHECK-NEXT: scf.for unsigned %[[A:[a-z0-9]+]] =
// CHECK-NEXT:   cube.load %x[%[[A]]] checked
// CHECK-NEXT:   scf.while
// CHECK-NOT:    cube.load
// CHECK:      cube.return
cube.kernel @nested(%x: !cube.array<f32>, %index: !cube.array<i32>, %out: !cube.array<f32>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %all = scf.for unsigned %a = %zero to %n step %one iter_args(%s = %none) -> (f32) : i32 {
    %part = scf.while (%t = %s) : (f32) -> f32 {
      %own = cube.load %x[%a] checked : !cube.array<f32> -> f32
      %goes = arith.cmpf olt, %t, %own : f32
      scf.condition(%goes) %t : f32
    } do {
    ^bb0(%t: f32):
      %j = cube.load %index[%i] checked : !cube.array<i32> -> i32
      %v = cube.load %x[%j] checked : !cube.array<f32> -> f32
      %next = arith.addf %t, %v : f32
      scf.yield %next : f32
    }
    scf.yield %part : f32
  }
  cube.store %all, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// Writes to shared memory, local memory and a `cube.noalias` argument do not prevent hoisting.
// CHECK-LABEL: cube.kernel @apart
// CHECK:      cube.load %x[%i] checked
// CHECK-NEXT: scf.for
// CHECK-NOT:    cube.load %x
// CHECK:      cube.return
cube.kernel @apart(%x: !cube.array<i32>, %y: !cube.array<i32> {cube.noalias}, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cells = cube.alloc : !cube.local<4 x i32>
  %counts = cube.alloc : !cube.shared<4 x i32>
  scf.for unsigned %a = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
    cube.store %v, %cells[%a] checked : i32, !cube.local<4 x i32>
    cube.store %v, %y[%a] checked : i32, !cube.array<i32>
    %old = cube.atomic_rmw addi %v, %counts[%a] checked : i32, !cube.shared<4 x i32>
  }
  cube.return
}

// -----

// Not hoisted: the loop writes the same argument or another argument that can alias it, or has an atomic.
// CHECK-LABEL: cube.kernel @written
// CHECK-COUNT-3: scf.for
// CHECK:      cube.return
// CHECK-LABEL: cube.kernel @atomic
// CHECK:      scf.for
// CHECK-NEXT:   cube.load %x[%i] checked
// SAID: {{.*}}:[[# @LINE + 6]]:10: remark: missed [hoist-loads:written] the load stays in the loop, because the loop writes the same buffer; keep the value in a variable during the loop, and store it after the loop
// SAID: {{.*}}:[[# @LINE + 9]]:10: remark: missed [hoist-loads:may-be-written] the load stays in the loop, because the loop writes another argument, which may alias it; load the element into a variable before the loop if each iteration needs the same value
cube.kernel @written(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %a = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
    cube.store %v, %x[%a] checked : i32, !cube.array<i32>
  }
  scf.for unsigned %a = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
    cube.store %v, %y[%a] checked : i32, !cube.array<i32>
  }
  %cells = cube.alloc : !cube.local<4 x i32>
  scf.for unsigned %a = %zero to %n step %one : i32 {
    %v = cube.load %cells[%i] checked : !cube.local<4 x i32> -> i32
    %w = arith.addi %v, %a : i32
    cube.store %w, %cells[%a] checked : i32, !cube.local<4 x i32>
  }
  cube.return
}
cube.kernel @atomic(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %a = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
    %old = cube.atomic_rmw addi %v, %y[%a] checked : i32, !cube.array<i32>
  }
  cube.return
}

// -----

// With a barrier in the loop, another unit can execute any write of the kernel, here a write after the loop.
// CHECK-LABEL: cube.kernel @with_barrier
// CHECK:      cube.load %x[%i] checked
// CHECK-NEXT: scf.for
// CHECK-NEXT:   cube.load %{{.*}}[%i] checked : !cube.shared
// CHECK:      scf.for
// CHECK-NEXT:   %{{.*}} = cube.load %y[%i] checked
// SAID: missed [hoist-loads:written] the load stays in the loop, because units synchronise in the loop, and the kernel writes the same buffer
cube.kernel @with_barrier(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cells = cube.alloc : !cube.shared<4 x i32>
  %s = scf.for unsigned %a = %zero to %n step %one iter_args(%t = %zero) -> (i32) : i32 {
    %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
    %w = cube.load %cells[%i] checked : !cube.shared<4 x i32> -> i32
    %p = arith.addi %v, %w : i32
    %next = arith.addi %t, %p : i32
    cube.sync cube
    scf.yield %next : i32
  }
  cube.store %s, %cells[%i] checked : i32, !cube.shared<4 x i32>
  cube.return
}
cube.kernel @barrier_and_writes(%x: !cube.array<i32>, %y: !cube.array<i32>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = scf.for unsigned %a = %zero to %n step %one iter_args(%t = %zero) -> (i32) : i32 {
    %v = cube.load %y[%i] checked : !cube.array<i32> -> i32
    %next = arith.addi %t, %v : i32
    cube.sync cube
    scf.yield %next : i32
  }
  cube.store %s, %y[%i] checked : i32, !cube.array<i32>
  cube.return
}

// -----

// An `inbounds` promise holds only if the access executes, and the loop can be empty. The remark names the branch.
// CHECK-LABEL: cube.kernel @stays
// CHECK:      scf.for
// CHECK-NEXT:   cube.load %x[%i] inbounds
// CHECK-NEXT:   cube.atomic_load %x[%i] checked
// CHECK-NEXT:   arith.divui
// CHECK:        scf.if
// CHECK-NEXT:     cube.load %x[%n] checked
// SAID: missed [hoist-loads:branch] the load stays in the loop, because only some iterations reach it, although its index does not change; load it before the loop
cube.kernel @stays(%x: !cube.array<i32>, %out: !cube.array<i32> {cube.noalias}, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %a = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
    %w = cube.atomic_load %x[%i] checked : !cube.array<i32> -> i32
    %d = arith.divui %n, %i : i32
    %both = arith.addi %v, %w : i32
    %all = arith.addi %both, %d : i32
    cube.store %all, %out[%a] checked : i32, !cube.array<i32>
    %even = arith.cmpi eq, %a, %zero : i32
    scf.if %even {
      %u = cube.load %x[%n] checked : !cube.array<i32> -> i32
      cube.store %u, %out[%a] checked : i32, !cube.array<i32>
    }
  }
  cube.return
}

// SAID: hoist-loads
// SAID-SAME: 6 loads hoisted
// SAID-NEXT: hoist-loads {{ *}}7 loads kept
