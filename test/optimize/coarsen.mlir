// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen{bits=128}))' --cube-remarks=missed,passed --cube-stats --split-input-file -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(coarsen))' --split-input-file | FileCheck %s --check-prefix=PLAIN

// Without a target, or for a target whose units are not scheduled by hardware, the pass does nothing.
// PLAIN-NOT: cube.cube_count
// PLAIN-NOT: {align

// The guard and the length of a checked buffer are compared with the last element.
// CHECK-LABEL: cube.kernel @add(
// CHECK-SAME:    %unit_elements: i32 {cube.derived = "add(1, mul(3, min(lt(add(cubes(0), 4), ceildiv(4294967297, mul(min(mul(cubes(1), cubes(2)), 4294967297), 64))), min(eq(rem(offset(x), 16), 0), eq(rem(offset(out), 16), 0)))))"}
// CHECK-SAME:    %last_position: i32 {cube.derived = "min(sub(mul(mul(mul(cubes(0), cubes(1)), cubes(2)), 64), 1), 4294967295)"}
// CHECK-SAME:    %wide_end: i32 {cube.derived = "mul(min(lt({{.*}})), min(min(mul(mul(mul(cubes(0), cubes(1)), cubes(2)), 64), 4294967295), min(buffer_len(x), buffer_len(out))))"}
// CHECK-SAME:    cube.cube_count = ["ceildiv(cubes(0), add(1, mul(3,
// CHECK:         %[[UNIT:.*]] = cube.topology absolute_pos
// CHECK-NEXT:    %[[BASE:.*]] = arith.muli %[[UNIT]], %unit_elements : i32
// CHECK:         %[[TOP:.*]] = arith.addi %[[BASE]], %c3
// CHECK-NEXT:    arith.cmpi ult, %[[TOP]], %wide_end : i32
// CHECK-NEXT:    scf.if
// CHECK:           %[[V:.*]] = cube.load %x[%[[BASE]]] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:           %[[K:.*]] = vector.broadcast %k : f32 to vector<4xf32>
// CHECK:           %[[R:.*]] = arith.addf %[[V]], %[[K]] : vector<4xf32>
// CHECK:           cube.store %[[R]], %out[%[[BASE]]] inbounds {align = 16 : i32} : vector<4xf32>
// CHECK:         } else {
// CHECK:           scf.for unsigned %[[J:.*]] = %c0{{.*}} to %unit_elements
// CHECK-NEXT:        %[[P:.*]] = arith.addi %[[BASE]], %[[J]] : i32
// CHECK-NEXT:        %[[IN:.*]] = arith.cmpi ule, %[[P]], %last_position : i32
// CHECK-NEXT:        scf.if %[[IN]] {
// CHECK:               arith.cmpi ult, %[[P]], %{{.*}} : i32
// CHECK:                 cube.load %x[%[[P]]] checked : !cube.array<f32> -> f32
// CHECK:                 cube.store %{{.*}}, %out[%[[P]]] inbounds by guard
// SAID: passed [coarsen:coarsen] each unit computes 4 neighbouring elements, and 2 accesses load or store all 4 at once
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

// The widest element type decides the width. A row and a column are the position if the width is not 0. Other values
// are loaded once per element, or once if no row ends among the elements.
// CHECK-LABEL: cube.kernel @rows(
// CHECK-SAME:    "add(1, mul(1, min(lt(add(cubes(0), 2), 67108865), min(eq(rem(offset(x), 4), 0), eq(rem(offset(out), 16), 0)))))"
// CHECK-SAME:    %whole_rows: i32 {cube.derived = "min(lt(0, rem(w, 4294967296)), eq(rem(rem(w, 4294967296), 2), 0))"}
// CHECK:         arith.cmpi ne, %w, %c0
// CHECK:         scf.if
// CHECK:           %[[WHOLE:.*]] = arith.cmpi ne, %whole_rows, %c0
// CHECK:           scf.if %[[WHOLE]]
// CHECK:             %[[ROW:.*]] = cube.divui %[[BASE:.*]], %w : i32
// CHECK:             cube.load %x[%[[BASE]]] inbounds {align = 4 : i32} : !cube.array<f16> -> vector<2xf16>
// CHECK:             %[[T:.*]] = cube.load %table[%[[ROW]]] checked
// CHECK-NOT:         cube.load
// CHECK:             vector.broadcast %[[T]]
// CHECK:             cube.store %{{.*}}, %out[%[[BASE]]] inbounds {align = 16 : i32} : vector<2xf64>
// CHECK:           } else {
// CHECK:           cube.load %x[%[[BASE]]] inbounds {align = 4 : i32} : !cube.array<f16> -> vector<2xf16>
// CHECK-COUNT-2:   cube.load %table[%{{.*}}] checked
// CHECK:           cube.store %{{.*}}, %out[%[[BASE]]] inbounds {align = 16 : i32} : vector<2xf64>
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

// Comparisons and selects have vector forms. A function is computed per element: as a vector, all lanes of its
// expansion would be live at once. Without a code generator that unrolls loops, it has one copy per element. The index of a wide access and the guard are not computed per element.
// CHECK-LABEL: cube.kernel @functions(
// CHECK:         scf.if
// CHECK-NOT:       cube.divui
// CHECK:           %[[V:.*]] = cube.load %x[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
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

// The elements share the iterations of a loop; loop-carried values are vectors. An index is the position plus products:
// the part without the counter must be a multiple of 4, and the last index of all iterations must be below the length,
// without overflow of a product. Then no access in the loop is checked.
// If the row length is not a multiple of 4, the kernel keeps all units.
// CHECK-LABEL: cube.kernel @product(
// CHECK-SAME:    lt(262143, mul(mul(mul(cubes(0), cubes(1)), cubes(2)), 256))
// CHECK-SAME:    eq(rem(mul(n, 1), 4), 0)
// CHECK:         %[[BASE:.*]] = arith.muli %{{.*}}, %unit_elements
// CHECK:         %[[TOP:.*]] = arith.addi %[[BASE]], %c3
// CHECK:         %[[LAST:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK:         scf.if
// CHECK:           %[[ZEROS:.*]] = vector.broadcast %{{.*}} : f32 to vector<4xf32>
// CHECK:           %[[SUM:.*]] = scf.for unsigned %{{.*}} iter_args(%[[S:.*]] = %[[ZEROS]]) -> (vector<4xf32>)
// CHECK:             %[[X:.*]] = cube.load %a[%{{.*}}] inbounds : !cube.array<f32> -> f32
// CHECK:             %[[Y:.*]] = cube.load %b[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:             %[[XS:.*]] = vector.broadcast %[[X]]
// CHECK:             %[[P:.*]] = arith.mulf %[[XS]], %[[Y]] : vector<4xf32>
// CHECK:             arith.addf %[[S]], %[[P]] : vector<4xf32>
// CHECK:           cube.store %[[SUM]], %c[%{{.*}}] inbounds {align = 16 : i32} : vector<4xf32>
// CHECK:         } else {
// CHECK:           cube.load %b[%{{.*}}] checked : !cube.array<f32> -> f32
cube.kernel @product(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>, %n: i32) cube_dim(16, 16) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %col = cube.topology absolute_pos_x
  %row = cube.topology absolute_pos_y
  %start = arith.muli %row, %n : i32
  %inside = arith.cmpi ult, %col, %n : i32
  scf.if %inside {
    %sum = scf.for unsigned %i = %zero to %n step %one iter_args(%s = %none) -> (f32) : i32 {
      %ai = arith.addi %start, %i : i32
      %above = arith.muli %i, %n : i32
      %bi = arith.addi %above, %col : i32
      %x = cube.load %a[%ai] checked : !cube.array<f32> -> f32
      %y = cube.load %b[%bi] checked : !cube.array<f32> -> f32
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    %ci = arith.addi %start, %col : i32
    cube.store %sum, %c[%ci] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// A comparison with a quotient becomes a comparison with a product, so the wide form needs no division.
// CHECK-LABEL: cube.kernel @quotient(
// CHECK:         %[[W:.*]] = arith.maxui %{{.*}}, %c1{{.*}} : i64
// CHECK:         %[[END:.*]] = arith.muli %{{.*}}, %[[W]] : i64
// CHECK:         arith.cmpi ult, %{{.*}}, %[[END]] : i64
// CHECK:         scf.if
// CHECK-NOT:       cube.divui
// CHECK:         } else {
// CHECK:           cube.divui
cube.kernel @quotient(%x: !cube.array<f32>, %w: i32, %h: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %row = cube.divui %i, %w : i32
  %inside = arith.cmpi ult, %row, %h : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    %r = arith.negf %v : f32
    cube.store %r, %x[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// SAID: missed [coarsen:loop] each unit keeps one element, because adjacent units can run different numbers of iterations of the loop
// CHECK-LABEL: cube.kernel @triangle(
// CHECK-NOT:     cube.cube_count
cube.kernel @triangle(%x: !cube.array<f32>, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %j = %zero to %i step %one : i32 {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %x[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// SAID: missed [coarsen:loop-access] each unit keeps one element, because the accesses of the loop for the elements of a unit are neither adjacent nor equal
// CHECK-LABEL: cube.kernel @rows_of_units(
// CHECK-NOT:     cube.cube_count
cube.kernel @rows_of_units(%x: !cube.array<f32>, %out: !cube.array<f32>, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %start = arith.muli %i, %n : i32
  %sum = scf.for unsigned %j = %zero to %n step %one iter_args(%s = %none) -> (f32) : i32 {
    %at = arith.addi %start, %j : i32
    %v = cube.load %x[%at] checked : !cube.array<f32> -> f32
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  cube.store %sum, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// SAID: missed [coarsen:units-synchronise]
// CHECK-LABEL: cube.kernel @barrier(
// CHECK-NOT:     cube.cube_count
cube.kernel @barrier(%x: !cube.array<f32>) cube_dim(64) {
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

// The index is twice the position, so neighbouring units do not access neighbouring elements.
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

// A line of 4 already has the width of the widest access.
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

// The load at half of the position is not a wide access: two neighbouring units read one element.
// SAID: passed [coarsen:coarsen] each unit computes 4 neighbouring elements, and 1 accesses load or store all 4 at once
// CHECK-LABEL: cube.kernel @halves(
// CHECK-NOT:     cube.load %x{{.*}} vector<4xf32>
// CHECK:         cube.store %{{.*}}, %out[%{{.*}}] inbounds {align = 16 : i32} : vector<4xf32>
cube.kernel @halves(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %two = arith.constant 2 : i32
  %i = cube.topology absolute_pos
  %half = cube.divui %i, %two : i32
  %v = cube.load %x[%half] checked : !cube.array<f32> -> f32
  cube.store %v, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// The guard is a lower bound: it can hold for the last element of a unit and not for the first.
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
