// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(version-checks))' --cube-remarks=missed,passed --cube-stats --split-input-file -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(version-checks))' --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(version-checks{operations=1}))' --cube-remarks=missed --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL

// Without a target, the launcher does not evaluate checks.
// PLAIN-NOT: cube.launch_guard

// A loop over a row and the store behind it have one branch. The last row is inside the buffer, so all rows are.
// CHECK-LABEL: cube.kernel @rows(
// CHECK-SAME:    %in_bounds: i32 {cube.derived = "min(lt(add(mul(sub(rows, 1), columns), sub(columns, 1)), buffer_len(x)), lt(sub(rows, 1), buffer_len(y)))"}
// CHECK:         scf.if
// CHECK:           %[[FITS:.*]] = arith.cmpi ne, %in_bounds, %c0_i32
// CHECK:           scf.if %[[FITS]] {
// CHECK-NEXT:        %[[FAST:.*]] = scf.for unsigned
// CHECK:               cube.load %x[%{{.*}}] inbounds {cube.launch_guard}
// CHECK:             cube.store %[[FAST]], %y[%{{.*}}] inbounds {cube.launch_guard}
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[SLOW:.*]] = scf.for unsigned
// CHECK:               cube.load %x[%{{.*}}] checked {cube.launch_guard}
// CHECK:             } {cube.unroll = 1 : i32}
// CHECK-NEXT:        cube.store %[[SLOW]], %y[%{{.*}}] checked {cube.launch_guard}
// SAID: version_checks.mlir:[[#@LINE+12]]:{{[0-9]+}}: remark: passed [version-checks:launch] the launcher compares the largest index with the length of the buffer
// SMALL: missed [version-checks:size] the check stays in place, because the copy of its code would be too large; make the loop around the access smaller
cube.kernel @rows(%x: !cube.array<f32>, %y: !cube.array<f32>, %rows: i32 {cube.host = "u32"}, %columns: i32 {cube.host = "u32"}) cube_dim(64) {
  %row = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %c = arith.cmpi ult, %row, %rows : i32
  scf.if %c {
    %start = arith.muli %row, %columns : i32
    %sum = scf.for unsigned %i = %zero to %columns step %one iter_args(%s = %none) -> (f32) : i32 {
      %at = arith.addi %start, %i : i32
      %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
      %n = arith.addf %s, %v : f32
      scf.yield %n : f32
    }
    cube.store %sum, %y[%row] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// Neighbouring accesses have one branch. Values of the copies are results, and a proven access keeps its proof.
// CHECK-LABEL: cube.kernel @neighbours(
// CHECK-SAME:    "min(lt(mul(sub(mul(64, cubes(0)), 1), 3), buffer_len(y)), lt(sub(mul(64, cubes(0)), 1), buffer_len(x)))"
// CHECK:         %[[R:.*]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK-NEXT:      %[[V:.*]] = cube.load %x[%[[I:.*]]] inbounds {cube.launch_guard}
// CHECK-NEXT:      %[[T:.*]] = arith.muli %[[I]], %c3
// CHECK-NEXT:      %[[W:.*]] = cube.load %{{.*}}[%{{.*}}] inbounds by range
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[V]], %[[W]]
// CHECK-NEXT:      cube.store %[[S]], %y[%[[T]]] inbounds {cube.launch_guard}
// CHECK-NEXT:      scf.yield %[[V]], %[[T]]
// CHECK-NEXT:    } else {
// CHECK-COUNT-2:   checked {cube.launch_guard}
// CHECK:         arith.addi %[[R]]#0, %[[R]]#1
// CHECK-NOT:     cube.launch_guard
cube.kernel @neighbours(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %c3 = arith.constant 3 : i32
  %i = cube.topology absolute_pos_x
  %u = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<64 x i32>
  %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %t = arith.muli %i, %c3 : i32
  %w = cube.load %tile[%u] inbounds by range : !cube.shared<64 x i32> -> i32
  %s = arith.addi %v, %w : i32
  cube.store %s, %y[%t] checked : i32, !cube.array<i32>
  %r = arith.addi %v, %t : i32
  cube.store %r, %tile[%u] inbounds by range : i32, !cube.shared<64 x i32>
  cube.return
}

// -----

// The versions of a loop with a barrier are inside its body, and no barrier is copied. The condition around a loop is
// also true inside.
// CHECK-LABEL: cube.kernel @barrier(
// CHECK:         scf.for unsigned
// CHECK:           scf.if %{{.*}} -> (i32)
// CHECK:             inbounds {cube.launch_guard}
// CHECK:             checked {cube.launch_guard}
// CHECK-COUNT-1:   cube.sync cube
// CHECK-NOT:       cube.sync
cube.kernel @barrier(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<64 x i32>
  scf.for unsigned %k = %zero to %n step %one : i32 {
    %at = arith.addi %k, %u : i32
    %v = cube.load %x[%at] checked : !cube.array<i32> -> i32
    cube.store %v, %tile[%u] inbounds by range : i32, !cube.shared<64 x i32>
    cube.sync cube
  }
  cube.return
}

// -----

// An index from memory, a difference that can wrap, a number that a loop increases, and a signed quotient have no bound.
// CHECK-LABEL: cube.kernel @kept(
// CHECK-NOT:     cube.launch_guard
// CHECK-NOT:     cube.derived
// SAID: missed [version-checks:memory] the launch does not evaluate the check, because the index depends on a number that the kernel loads; compare the index with the length around the access
// SAID: missed [version-checks:difference] the launch does not evaluate the check, because the index depends on a difference, which is large if it wraps; compare the two numbers of the difference around the access
// SAID: missed [version-checks:operation] the launch does not evaluate the check, because the launcher cannot compute the largest index from the arguments of the launch; compare the index with the length around the access
// SAID: missed [version-checks:carried] the launch does not evaluate the check, because the index depends on a number that a loop changes; compare the index with the length around the access
// SAID-DAG: 11 checks guarded
// SAID-DAG: 1 checks proven
// SAID-DAG: 6 checks kept
cube.kernel @kept(%x: !cube.array<i32>, %index: !cube.array<i32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %u = cube.topology unit_pos
  %i = cube.load %index[%zero] inbounds : !cube.array<i32> -> i32
  cube.store %u, %x[%i] checked : i32, !cube.array<i32>
  %less = arith.subi %u, %n : i32
  cube.store %u, %x[%less] checked : i32, !cube.array<i32>
  %q = cube.divsi %n, %u : i32
  cube.store %u, %x[%q] checked : i32, !cube.array<i32>
  %last = scf.for unsigned %k = %zero to %n step %one iter_args(%a = %u) -> (i32) : i32 {
    cube.store %u, %x[%a] checked : i32, !cube.array<i32>
    %b = arith.muli %a, %n : i32
    scf.yield %b : i32
  }
  cube.return
}

// -----

// The launcher compares numbers of 64 bits, so 2^31 + 2^31 is above each length.
// CHECK-LABEL: cube.kernel @wraps(
// CHECK-SAME:    "lt(add(sub(n, 1), 2147483648), buffer_len(x))"
cube.kernel @wraps(%x: !cube.array<i32>, %n: i32 {cube.host = "u32"}) cube_dim(64) {
  %half = arith.constant -2147483648 : i32
  %i = cube.topology absolute_pos
  %c = arith.cmpi ult, %i, %n : i32
  scf.if %c {
    %at = arith.addi %i, %half : i32
    cube.store %i, %x[%at] checked : i32, !cube.array<i32>
  }
  cube.return
}

// -----

// An index of shared memory that conditions bound needs no check at the launch.
// CHECK-LABEL: cube.kernel @shared(
// CHECK-NOT:     cube.derived
// CHECK:         cube.store %{{.*}} inbounds by range
cube.kernel @shared() cube_dim(64) {
  %c32 = arith.constant 32 : i32
  %u = cube.topology unit_pos
  %n = cube.topology absolute_pos
  %tile = cube.alloc : !cube.shared<64 x i32>
  %c = arith.cmpi ult, %n, %c32 : i32
  scf.if %c {
    %at = arith.addi %n, %c32 : i32
    cube.store %u, %tile[%at] checked : i32, !cube.shared<64 x i32>
  }
  cube.return
}

// -----

// An access in several branches.
// CHECK-LABEL: cube.kernel @nested(
// CHECK-SAME:    %in_bounds: i32
// CHECK-COUNT-3: scf.if
// CHECK:         %[[FITS:.*]] = arith.cmpi ne, %in_bounds, %c0_i32
// CHECK-NEXT:    scf.if %[[FITS]] {
// CHECK-NEXT:      cube.store %{{.*}}, %x[%{{.*}}] inbounds {cube.launch_guard}
cube.kernel @nested(%x: !cube.array<i32>, %n: i32) cube_dim(32) {
  %u = cube.topology unit_pos
  %c1 = arith.constant 1 : i32
  %a = arith.cmpi ne, %n, %c1 : i32
  %b = arith.cmpi ult, %n, %u : i32
  %c = arith.cmpi ne, %u, %c1 : i32
  scf.if %a {
    scf.if %b {
      scf.if %c {
        cube.store %c1, %x[%u] checked : i32, !cube.array<i32>
      }
    }
  }
  cube.return
}

// -----

// The loop over the elements of a coarsened kernel contains the whole kernel. Only the load has two versions.
// CHECK-LABEL: cube.kernel @elements(
// CHECK:         scf.for unsigned
// CHECK:           %[[V:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK-NEXT:        cube.load %x[%{{.*}}] inbounds {cube.launch_guard}
// CHECK:           } else {
// CHECK-NEXT:        cube.load %x[%{{.*}}] checked {cube.launch_guard}
// CHECK:           math.erf %[[V]] : f32
// CHECK-NOT:       math.erf
cube.kernel @elements(%x: !cube.array<f32>, %y: !cube.array<f32>, %count: i32 {cube.host = "u32"}) cube_dim(64) {
  %unit = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.len %y : !cube.array<f32>
  scf.for unsigned %j = %zero to %count step %one : i32 {
    %i = arith.addi %unit, %j : i32
    %c = arith.cmpi ult, %i, %n : i32
    scf.if %c {
      %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
      %e = math.erf %v : f32
      cube.store %e, %y[%i] inbounds by guard : f32, !cube.array<f32>
    }
  } {cube.unroll = 1 : i32}
  cube.return
}

// -----

// A loop that keeps a check is not copied. In its body, the inner loop and the stores behind it have one branch, and a single access
// keeps its comparison.
// CHECK-LABEL: cube.kernel @partly(
// CHECK:         scf.for unsigned
// CHECK:           %[[SUM:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT:        scf.for unsigned
// CHECK-NEXT:          cube.load %y[%{{.*}}] inbounds {cube.launch_guard}
// CHECK:             cube.store %{{.*}}, %x[%{{.*}}] inbounds {cube.launch_guard}
// CHECK-NEXT:        cube.store %{{.*}}, %y[%{{.*}}] inbounds {cube.launch_guard}
// CHECK:           } else {
// CHECK-COUNT-3:     checked {cube.launch_guard}
// CHECK:           cube.load %z[%[[SUM]]] checked :
// CHECK:           cube.sync cube
// CHECK-NEXT:      cube.store %{{.*}}, %z[%{{.*}}] checked :
// SAID-DAG: missed [version-checks:other-checks] the check stays in place, because a copy of the loop would have other checks; remove the other checks of the loop
cube.kernel @partly(%x: !cube.array<i32>, %y: !cube.array<i32>, %z: !cube.array<i32>, %n: i32 {cube.host = "u32"}) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %sum = scf.for unsigned %j = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
      %v = cube.load %y[%j] checked : !cube.array<i32> -> i32
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    cube.store %sum, %x[%i] checked : i32, !cube.array<i32>
    cube.store %sum, %y[%i] checked : i32, !cube.array<i32>
    %far = cube.load %z[%sum] checked : !cube.array<i32> -> i32
    cube.sync cube
    cube.store %far, %z[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}
