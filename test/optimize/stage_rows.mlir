// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(stage-rows{lanes=32 bytes=128 ahead=false},canonicalize))' --cube-remarks=missed,passed --cube-stats --split-input-file -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(stage-rows))' --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(stage-rows{lanes=32 bytes=128},canonicalize))' --split-input-file | FileCheck %s --check-prefix=AHEAD

// Without a target, the pass does nothing.
// PLAIN-NOT: cube.sync plane

// A lane loads 8 vectors of 16 bytes, of 8 rows; rows of a tile are 36 elements apart. Units without a row participate
// and load another unit's row. The rest of the row runs in the original loop.
// SAID: passed [stage-rows:stage] a plane loads tiles of 32 iterations; the loop reads 1 rows per unit, in the original order
// SAID: missed [stage-rows:order] each unit computes a whole row, because the pass keeps the order of float operations
// CHECK-LABEL: cube.kernel @sums(
// CHECK-SAME:    %rows_aligned: i32 {cube.derived = "eq(rem(offset(x), 16), 0)"}
// CHECK:         %[[TILE:.*]] = cube.alloc : !cube.shared<2304 x f32>
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:         %[[MOST:.*]] = cube.plane_reduce maxui
// CHECK:         %[[ROW:.*]] = arith.select %[[INSIDE]], %{{.*}}, %[[MOST]]
// CHECK:         scf.for unsigned %[[N:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK:           cube.plane_shuffle idx %[[ROW]]
// CHECK:           cube.store %{{.*}}, %[[INDICES:.*]][%[[N]]] inbounds : i32, !cube.local<8 x i32>
// CHECK:           cube.store %{{.*}}, %[[LINES:.*]][%[[N]]] inbounds : i32, !cube.local<8 x i32>
// CHECK:         } {cube.unroll}
// CHECK:         cube.plane_vote all
// CHECK:         cube.plane_vote any %[[INSIDE]]
// CHECK:         %[[WHOLE:.*]] = arith.andi %{{.*}}, %c-32
// CHECK:         %[[FULL:.*]] = arith.select %{{.*}}, %[[WHOLE]], %c0
// CHECK:         %[[SUM:.*]] = scf.for unsigned %{{.*}} = %c0{{.*}} to %[[FULL]] step %c32{{.*}} iter_args(%[[SO_FAR:.*]] = %cst) -> (f32)
// CHECK-NEXT:      cube.sync plane
// CHECK-NEXT:      scf.for unsigned %[[N:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK:             cube.load %[[INDICES]][%[[N]]]
// CHECK:             cube.load %x[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:             cube.load %[[LINES]][%[[N]]]
// CHECK:             cube.store %{{.*}}, %[[TILE]]{{.*}} vector<4xf32>
// CHECK:           } {cube.unroll}
// CHECK-NEXT:      cube.sync plane
// CHECK:           scf.if %[[INSIDE]] -> (f32)
// CHECK:             scf.for unsigned %{{.*}} = %c0{{.*}} to %c32{{.*}} step %c4{{.*}} iter_args(%[[OWN:.*]] = %[[SO_FAR]])
// CHECK:               cube.load %[[TILE]]{{.*}} -> vector<4xf32>
// CHECK:               arith.addf %[[OWN]]
// CHECK-COUNT-3:       arith.addf
// CHECK:             } else {
// CHECK:         scf.if %[[INSIDE]]
// CHECK:           scf.for unsigned %{{.*}} = %[[FULL]] to %cols step %c1{{.*}} iter_args(%{{.*}} = %[[SUM]])
// CHECK:             cube.load %x[%{{.*}}] checked : !cube.array<f32> -> f32
// AHEAD-LABEL: cube.kernel @sums(
// AHEAD:         cube.sync plane
// AHEAD:         scf.if
// AHEAD-NEXT:      scf.for unsigned %[[N:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// AHEAD:             %[[PART:.*]] = cube.load %x
// AHEAD-NEXT:        cube.store %[[PART]], %[[PARTS:.*]][%[[N]]] inbounds : vector<4xf32>, !cube.local<8 x f32, 4>
// AHEAD-NEXT:      } {cube.unroll}
// AHEAD:         scf.for {{.*}} iter_args(
// AHEAD-NEXT:      cube.sync plane
// AHEAD-NEXT:      scf.for
// AHEAD-NEXT:        cube.load %[[PARTS]]
// AHEAD:             cube.store
// AHEAD-NEXT:      } {cube.unroll}
// AHEAD-NEXT:      cube.sync plane
// AHEAD:           scf.for
// AHEAD:             cube.load %x
// AHEAD-NEXT:        cube.store %{{.*}}, %[[PARTS]]
// AHEAD-NEXT:      } {cube.unroll}
// AHEAD-NEXT:      scf.if
cube.kernel @sums(%x: !cube.array<f32>, %out: !cube.array<f32>, %rows: i32, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %row = cube.topology absolute_pos
  %inside = arith.cmpi ult, %row, %rows : i32
  scf.if %inside {
    %start = arith.muli %row, %cols : i32
    %sum = scf.for unsigned %i = %zero to %cols step %one iter_args(%s = %none) -> (f32) : i32 {
      %at = arith.addi %start, %i : i32
      %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
      %n = arith.addf %s, %v : f32
      scf.yield %n : f32
    }
    cube.store %sum, %out[%row] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The loop can alias the store, which is kept before the loop, in a separate branch; the branch yields the value that
// was loaded there. The row that all units load is not staged.
// CHECK-LABEL: cube.kernel @product(
// CHECK:         %[[INIT:.*]] = scf.if %{{.*}} -> (i32)
// CHECK:           cube.store %{{.*}}, %x
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK:           cube.load %x[%{{.*}}] inbounds
// CHECK:           cube.load %y[%{{.*}}] checked
// CHECK:         scf.if
// CHECK-NEXT:      scf.for
cube.kernel @product(%x: !cube.array<i32>, %y: !cube.array<i32>, %out: !cube.array<i32>, %rows: i32, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %row = cube.topology absolute_pos
  %inside = arith.cmpi ult, %row, %rows : i32
  scf.if %inside {
    %start = arith.muli %row, %cols : i32
    %init = cube.load %y[%row] checked : !cube.array<i32> -> i32
    cube.store %init, %x[%start] checked : i32, !cube.array<i32>
    %sum = scf.for unsigned %i = %zero to %cols step %one iter_args(%s = %init) -> (i32) : i32 {
      %at = arith.addi %start, %i : i32
      %v = cube.load %x[%at] checked : !cube.array<i32> -> i32
      %w = cube.load %y[%i] checked : !cube.array<i32> -> i32
      %p = arith.muli %v, %w : i32
      %n = arith.addi %s, %p : i32
      scf.yield %n : i32
    }
    cube.store %sum, %out[%row] checked : i32, !cube.array<i32>
  }
  cube.return
}

// -----

// Neighbouring units load neighbouring elements: accesses are coalesced, and the pass emits no remark.
// CHECK-LABEL: cube.kernel @columns(
// CHECK-NOT:     cube.sync plane
cube.kernel @columns(%x: !cube.array<f32>, %out: !cube.array<f32>, %rows: i32, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %col = cube.topology absolute_pos
  %sum = scf.for unsigned %i = %zero to %rows step %one iter_args(%s = %none) -> (f32) : i32 {
    %r = arith.muli %i, %cols : i32
    %at = arith.addi %r, %col : i32
    %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
    %n = arith.addf %s, %v : f32
    scf.yield %n : f32
  }
  cube.store %sum, %out[%col] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// SAID: missed [stage-rows:may-be-written] the rows are not staged, because the loop can write the buffer that it reads; add cube.noalias to the argument, or store after the loop
// CHECK-LABEL: cube.kernel @written(
// CHECK-NOT:     cube.sync plane
cube.kernel @written(%x: !cube.array<f32>, %out: !cube.array<f32>, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %row = cube.topology absolute_pos
  %start = arith.muli %row, %cols : i32
  scf.for unsigned %i = %zero to %cols step %one : i32 {
    %at = arith.addi %start, %i : i32
    %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
    cube.store %v, %out[%at] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// SAID: missed [stage-rows:trip-count] the rows are not staged, because the units of a plane can run different numbers of iterations
// CHECK-LABEL: cube.kernel @triangle(
// CHECK-NOT:     cube.sync plane
cube.kernel @triangle(%x: !cube.array<f32>, %out: !cube.array<f32>, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %row = cube.topology absolute_pos
  %start = arith.muli %row, %cols : i32
  %sum = scf.for unsigned %i = %zero to %row step %one iter_args(%s = %none) -> (f32) : i32 {
    %at = arith.addi %start, %i : i32
    %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
    %n = arith.addf %s, %v : f32
    scf.yield %n : f32
  }
  cube.store %sum, %out[%row] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// SAID: missed [stage-rows:cube-dim] the rows are not staged, because the units of a cube are not whole planes along one dimension
// CHECK-LABEL: cube.kernel @few(
// CHECK-NOT:     cube.sync plane
cube.kernel @few(%x: !cube.array<f32>, %out: !cube.array<f32>, %cols: i32) cube_dim(48) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %row = cube.topology absolute_pos
  %start = arith.muli %row, %cols : i32
  %sum = scf.for unsigned %i = %zero to %cols step %one iter_args(%s = %none) -> (f32) : i32 {
    %at = arith.addi %start, %i : i32
    %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
    %n = arith.addf %s, %v : f32
    scf.yield %n : f32
  }
  cube.store %sum, %out[%row] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// SAID: missed [stage-rows:near-rows] the rows are not staged, because the units of a plane read rows whose distance is unknown
// CHECK-LABEL: cube.kernel @unknown(
// CHECK-NOT:     cube.sync plane
cube.kernel @unknown(%x: !cube.array<f32>, %starts: !cube.array<i32>, %out: !cube.array<f32>, %cols: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %row = cube.topology absolute_pos
  %start = cube.load %starts[%row] checked : !cube.array<i32> -> i32
  %sum = scf.for unsigned %i = %zero to %cols step %one iter_args(%s = %none) -> (f32) : i32 {
    %at = arith.addi %start, %i : i32
    %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
    %n = arith.addf %s, %v : f32
    scf.yield %n : f32
  }
  cube.store %sum, %out[%row] checked : f32, !cube.array<f32>
  cube.return
}
