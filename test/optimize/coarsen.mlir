// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen{bits=128}))' --cube-remarks=missed,passed --cube-stats --split-input-file -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen))' --split-input-file | FileCheck %s --check-prefix=PLAIN

// Without a target, or for one whose units are not scheduled by hardware, nothing is done.
// PLAIN-NOT: cube.cube_count
// PLAIN-NOT: cube.align

// The guard is asked of the last element, and so is the length of a buffer whose access is checked.
// CHECK-LABEL: cube.kernel @add(
// CHECK-SAME:    %unit_elements: i32 {cube.derived = "add(1, mul(3, min(min(lt(mul(add(cubes(0), 4), 64), 4294967297), eq(mul(cubes(1), cubes(2)), 1)), min(eq(rem(offset(x), 16), 0), eq(rem(offset(out), 16), 0)))))"}
// CHECK-SAME:    %last_position: i32 {cube.derived = "min(sub(mul(mul(mul(cubes(0), cubes(1)), cubes(2)), 64), 1), 4294967295)"}
// CHECK-SAME:    cube.cube_count = ["ceildiv(cubes(0), add(1, mul(3,
// CHECK:         %[[UNIT:.*]] = cube.topology absolute_pos
// CHECK-NEXT:    %[[BASE:.*]] = arith.muli %[[UNIT]], %unit_elements : i32
// CHECK:         %[[TOP:.*]] = arith.addi %[[BASE]], %c3
// CHECK:         arith.cmpi eq, %unit_elements, %c4
// CHECK:         arith.cmpi ule, %[[TOP]], %last_position : i32
// CHECK:         %[[X:.*]] = cube.len %x
// CHECK:         arith.cmpi ult, %[[TOP]], %[[X]] : i32
// CHECK:         %[[OUT:.*]] = cube.len %out
// CHECK:         arith.cmpi ult, %[[TOP]], %[[OUT]] : i32
// CHECK:         scf.if
// CHECK:           %[[V:.*]] = cube.load %x[%[[BASE]]] inbounds {cube.align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:           %[[K:.*]] = vector.broadcast %k : f32 to vector<4xf32>
// CHECK:           %[[R:.*]] = arith.addf %[[V]], %[[K]] : vector<4xf32>
// CHECK:           cube.store %[[R]], %out[%[[BASE]]] inbounds {cube.align = 16 : i32} : vector<4xf32>
// CHECK:         } else {
// CHECK:           scf.for unsigned %[[J:.*]] = %c0{{.*}} to %unit_elements
// CHECK-NEXT:        %[[P:.*]] = arith.addi %[[BASE]], %[[J]] : i32
// CHECK-NEXT:        %[[IN:.*]] = arith.cmpi ule, %[[P]], %last_position : i32
// CHECK-NEXT:        scf.if %[[IN]] {
// CHECK:               arith.cmpi ult, %[[P]], %{{.*}} : i32
// CHECK:                 cube.load %x[%[[P]]] checked : !cube.array<f32> -> f32
// CHECK:                 cube.store %{{.*}}, %out[%[[P]]] inbounds by guard
// SAID: passed [coarsen:coarsen] each unit takes 4 neighbouring elements, and 2 accesses move all of them at once
cube.kernel @add(%x: !cube.array<f32>, %out: !cube.array<f32>, %k: f32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.len %out : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    %r = arith.addf %v, %k : f32
    cube.store %r, %out[%i] inbounds by guard : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The widest element decides; a row and a column are the position where the width is not 0; what is read elsewhere is read by
// each element.
// CHECK-LABEL: cube.kernel @rows(
// CHECK-SAME:    "add(1, mul(1, min(lt(mul(add(cubes(0), 2), 64), 4294967297), min(eq(rem(offset(x), 4), 0), eq(rem(offset(out), 16), 0)))))"
// CHECK:         %[[TOP:.*]] = arith.addi %{{.*}}, %c1
// CHECK:         arith.cmpi ne, %w, %c0
// CHECK:         scf.if
// CHECK:           cube.load %x[%[[BASE:.*]]] inbounds {cube.align = 4 : i32} : !cube.array<f16> -> vector<2xf16>
// CHECK-COUNT-2:   cube.load %table[%{{.*}}] checked
// CHECK:           cube.store %{{.*}}, %out[%[[BASE]]] inbounds {cube.align = 16 : i32} : vector<2xf64>
// CHECK:         } else {
cube.kernel @rows(%x: !cube.array<f16>, %table: !cube.array<f64>, %out: !cube.array<f64>, %w: i32) cube_dim(64) {
  %p = cube.topology absolute_pos_x
  %row = cube.divui %p, %w : i32
  %col = cube.remui %p, %w : i32
  %start = arith.muli %row, %w : i32
  %i = arith.addi %start, %col : i32
  %v = cube.load %x[%i] checked : !cube.array<f16> -> f16
  %wide = arith.extf %v : f16 to f64
  %t = cube.load %table[%row] checked : !cube.array<f64> -> f64
  %r = arith.addf %wide, %t : f64
  cube.store %r, %out[%i] checked : f64, !cube.array<f64>
  cube.return
}

// -----

// Comparisons and choices have vector forms. A function is computed for each element: as a vector, all lanes of its expansion would
// be alive at once. The index of a wide access and the guard of all elements are not computed for each element.
// CHECK-LABEL: cube.kernel @functions(
// CHECK:         scf.if
// CHECK-NOT:       cube.divui
// CHECK:           %[[V:.*]] = cube.load %x[%{{.*}}] inbounds {cube.align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:           %[[V0:.*]] = vector.extract %[[V]][0]
// CHECK-COUNT-4:   math.erf %{{.*}} : f32
// CHECK:           cube.store %{{.*}}, %x{{.*}} vector<4xf32>
// CHECK-NEXT:    } else {
// CHECK:           cube.divui
cube.kernel @functions(%x: !cube.array<f32>, %k: f32, %w: i32, %h: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %row = cube.divui %p, %w : i32
  %col = cube.remui %p, %w : i32
  %inside = arith.cmpi ult, %row, %h : i32
  scf.if %inside {
    %start = arith.muli %row, %w : i32
    %i = arith.addi %start, %col : i32
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    %e = math.erf %v : f32
    %c = arith.cmpf olt, %e, %k : f32
    %r = arith.select %c, %e, %k : f32
    cube.store %r, %x[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// SAID: missed [coarsen:loop] each unit keeps one element, because the kernel has a loop
// CHECK-LABEL: cube.kernel @loop(
// CHECK-NOT:     cube.cube_count
cube.kernel @loop(%x: !cube.array<f32>, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %j = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// SAID: missed [coarsen:units-synchronise]
// CHECK-LABEL: cube.kernel @meet(
// CHECK-NOT:     cube.cube_count
cube.kernel @meet(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  cube.sync cube
  cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// SAID: missed [coarsen:topology]
// CHECK-LABEL: cube.kernel @unit(
// CHECK-NOT:     cube.cube_count
cube.kernel @unit(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  cube.store %u, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// -----

// SAID: missed [coarsen:cube-dim]
// CHECK-LABEL: cube.kernel @plane(
// CHECK-NOT:     cube.cube_count
cube.kernel @plane(%x: !cube.array<i32>) cube_dim(8, 8) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// -----

// Twice the position is not the position, and a constant beside it has no known alignment.
// SAID: missed [coarsen:no-neighbours]
// CHECK-LABEL: cube.kernel @apart(
// CHECK-NOT:     cube.cube_count
cube.kernel @apart(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %j = arith.addi %i, %i : i32
  cube.store %i, %x[%j] checked : i32, !cube.array<i32>
  cube.return
}

// -----

// A line of 4 is as wide as an access can be.
// SAID: missed [coarsen:no-neighbours]
// CHECK-LABEL: cube.kernel @lines(
// CHECK-NOT:     cube.cube_count
cube.kernel @lines(%x: !cube.array<f32, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>
  cube.store %v, %x[%i] checked : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// -----

// An unsigned upper bound of the last element does not bound the first.
// SAID: missed [coarsen:no-neighbours]
// CHECK-LABEL: cube.kernel @from_above(
// CHECK-NOT:     cube.cube_count
cube.kernel @from_above(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %beyond = arith.cmpi uge, %i, %n : i32
  scf.if %beyond {
    cube.store %i, %x[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}

// SAID: accesses widened
