// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(simplify-indices,canonicalize,cse))' --cube-remarks=missed --cube-stats -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: cube-opt %s --target=nvptx:sm_90a --compile-to=optimize | FileCheck %s --check-prefix=WIDE

// For w = 0, x / w * w + x % w is 0, so a select is needed.
// CHECK-LABEL: cube.kernel @row_and_column(
// CHECK-NOT:     cube.divui
// CHECK-NOT:     cube.remui
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %w, %c0
// CHECK:         %[[I:.*]] = arith.select %[[SOME]], %{{.*}}, %c0
// CHECK:         cube.store %k, %x[%[[I]]]
cube.kernel @row_and_column(%x: !cube.array<i32>, %w: i32, %k: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %row = cube.divui %p, %w : i32
  %col = cube.remui %p, %w : i32
  %m = arith.muli %w, %row : i32
  %i = arith.addi %col, %m : i32
  cube.store %k, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// No select is needed for a column computed by subtraction, for a constant width, or under a branch on the width.
// CHECK-LABEL: cube.kernel @no_choice(
// CHECK:         %[[P:.*]] = cube.topology absolute_pos
// CHECK-NOT:     arith.select
// CHECK:         cube.store %k, %x[%[[P]]]
// CHECK:         cube.store %k, %x[%[[P]]]
// CHECK:         cube.store %k, %x[%[[P]]]
// CHECK:         cube.store %k, %x[%[[P]]]
// CHECK:         scf.if
// CHECK:           cube.store %k, %x[%[[P]]]
cube.kernel @no_choice(%x: !cube.array<i32>, %w: i32, %k: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %ten = arith.constant 10 : i32
  %five = arith.constant 5 : i32
  %mask = arith.constant 31 : i32
  %p = cube.topology absolute_pos
  %row = cube.divui %p, %w : i32
  %m = arith.muli %w, %row : i32
  %rest = arith.subi %p, %m : i32
  %i = arith.addi %m, %rest : i32
  cube.store %k, %x[%i] : i32, !cube.array<i32>
  %r2 = cube.divui %p, %ten : i32
  %c2 = cube.remui %p, %ten : i32
  %m2 = arith.muli %r2, %ten : i32
  %i2 = arith.addi %m2, %c2 : i32
  cube.store %k, %x[%i2] : i32, !cube.array<i32>
  %r3 = cube.shrui %p, %five : i32
  %c3 = arith.andi %p, %mask : i32
  %m3 = cube.shl %r3, %five : i32
  %i3 = arith.ori %m3, %c3 : i32
  cube.store %k, %x[%i3] : i32, !cube.array<i32>
  %r4 = arith.divui %p, %w : i32
  %c4 = arith.remui %p, %w : i32
  %m4 = arith.muli %r4, %w : i32
  %i4 = arith.addi %m4, %c4 : i32
  cube.store %k, %x[%i4] : i32, !cube.array<i32>
  %some = arith.cmpi ne, %w, %zero : i32
  scf.if %some {
    %c5 = cube.remui %p, %w : i32
    %i5 = arith.addi %m, %c5 : i32
    cube.store %k, %x[%i5] : i32, !cube.array<i32>
  }
  cube.return
}

// 64-bit arithmetic, truncated to 32 bits at the end. A 32-bit sum that wraps and is then widened is not simplified.
// CHECK-LABEL: cube.kernel @wide(
// CHECK-NOT:     cube.divui
// CHECK:         arith.cmpi ne, %w, %c0{{.*}} : i64
// CHECK:         cube.store %k, %x[
// CHECK:         %[[S:.*]] = arith.addi %{{.*}}, %k : i32
// CHECK:         %[[E:.*]] = arith.extui %[[S]] : i32 to i64
// CHECK:         arith.subi %[[E]], %{{.*}} : i64
cube.kernel @wide(%x: !cube.array<i32>, %y: !cube.array<i64>, %w: i64, %k: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %p64 = arith.extui %p : i32 to i64
  %row = cube.divui %p64, %w : i64
  %col = cube.remui %p64, %w : i64
  %m = arith.muli %row, %w : i64
  %i64 = arith.addi %m, %col : i64
  %i = arith.trunci %i64 : i64 to i32
  cube.store %k, %x[%i] : i32, !cube.array<i32>
  %sum = arith.addi %p, %k : i32
  %sum64 = arith.extui %sum : i32 to i64
  %k64 = arith.extui %k : i32 to i64
  %d = arith.subi %sum64, %k64 : i64
  cube.store %d, %y[%p] : i64, !cube.array<i64>
  cube.return
}

// A position computed from cube and unit is `absolute_pos`; a factor other than the cube size prevents this.
// CHECK-LABEL: cube.kernel @position(
// CHECK:         %[[P:.*]] = cube.topology absolute_pos_x
// CHECK:         cube.store %k, %x[%[[P]]]
// CHECK:         %[[S:.*]] = arith.addi
// CHECK:         cube.store %k, %x[%[[S]]]
cube.kernel @position(%x: !cube.array<i32>, %k: i32) cube_dim(64) {
  %other = arith.constant 65 : i32
  %c = cube.topology cube_pos_x
  %d = cube.topology cube_dim_x
  %u = cube.topology unit_pos_x
  %m = arith.muli %c, %d : i32
  %i = arith.addi %u, %m : i32
  cube.store %k, %x[%i] : i32, !cube.array<i32>
  %m2 = arith.muli %c, %other : i32
  %i2 = arith.addi %u, %m2 : i32
  cube.store %k, %x[%i2] : i32, !cube.array<i32>
  cube.return
}

// Three dimensions: a height of 0 gives another result, so the simplification needs a guard.
// CHECK-LABEL: cube.kernel @three(
// CHECK:         arith.addi
// CHECK:         %[[BOTH:.*]] = arith.andi
// CHECK:         scf.if %[[BOTH]] {
// CHECK-NEXT:      cube.store %k, %x[%{{.*}}]
// SAID: {{.*}}:[[# @LINE + 11]]:8: remark: missed [simplify-indices:zero-divisor] the sum equals the dividend only if no divisor is 0; put the sum into an scf.if with the condition arith.cmpi ne, %divisor, %zero
cube.kernel @three(%x: !cube.array<i32>, %w: i32, %h: i32, %k: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %p = cube.topology absolute_pos
  %rows = cube.divui %p, %w : i32
  %z = cube.divui %rows, %h : i32
  %y = cube.remui %rows, %h : i32
  %c = cube.remui %p, %w : i32
  %zh = arith.muli %z, %h : i32
  %zy = arith.addi %zh, %y : i32
  %zyw = arith.muli %zy, %w : i32
  %i = arith.addi %zyw, %c : i32
  cube.store %k, %x[%i] : i32, !cube.array<i32>
  %a = arith.cmpi ne, %w, %zero : i32
  %b = arith.cmpi ult, %zero, %h : i32
  %both = arith.andi %a, %b : i1
  scf.if %both {
    %y2 = cube.remui %rows, %h : i32
    %zy2 = arith.addi %zh, %y2 : i32
    %zyw2 = arith.muli %zy2, %w : i32
    %c2 = cube.remui %p, %w : i32
    %i2 = arith.addi %zyw2, %c2 : i32
    cube.store %k, %x[%i2] : i32, !cube.array<i32>
  }
  cube.return
}

// If the position is below w * h, the row is below h, also if w * h wraps. Without the guard the remainder is kept.
// CHECK-LABEL: cube.kernel @guarded(
// CHECK:         %[[ROW:.*]] = cube.divui %{{.*}}, %w
// CHECK:         cube.remui %[[ROW]], %h
// CHECK:         scf.if
// CHECK-NOT:       cube.remui
// CHECK:           cube.store %[[ROW]], %x[%c0
// CHECK-NOT:       scf.if
// CHECK:           cube.store %k, %x[%[[ROW]]]
// CHECK:         }
cube.kernel @guarded(%x: !cube.array<i32>, %w: i32, %h: i32, %k: i32) cube_dim(64) {
  %p = cube.topology absolute_pos
  %n = arith.muli %w, %h : i32
  %row = cube.divui %p, %w : i32
  %free = cube.remui %row, %h : i32
  cube.store %free, %x[%p] : i32, !cube.array<i32>
  %inside = arith.cmpi ult, %p, %n : i32
  scf.if %inside {
    %y = cube.remui %row, %h : i32
    %z = cube.divui %row, %h : i32
    cube.store %y, %x[%z] : i32, !cube.array<i32>
    %again = arith.cmpi ult, %row, %h : i32
    scf.if %again {
      cube.store %k, %x[%row] : i32, !cube.array<i32>
    }
  }
  cube.return
}

// A remainder is less than its divisor, unless the divisor is 0.
// CHECK-LABEL: cube.kernel @compare(
// CHECK-NOT:     cube.remui
// CHECK:         arith.cmpi ne, %w, %c0
// CHECK:         arith.cmpi eq, %w, %c0
cube.kernel @compare(%w: i32, %p: i32, %x: !cube.array<i1>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %col = cube.remui %p, %w : i32
  %less = arith.cmpi ugt, %w, %col : i32
  cube.store %less, %x[%zero] : i1, !cube.array<i1>
  %more = arith.cmpi uge, %col, %w : i32
  cube.store %more, %x[%one] : i1, !cube.array<i1>
  cube.return
}

// The row and column of r * w + c are r and c if the sum cannot wrap; with 2^32 / 24 rows or more it could.
// CHECK-LABEL: cube.kernel @of_sum(
// CHECK:         %[[R:.*]] = cube.topology unit_pos_x
// CHECK-DAG:     %[[C:.*]] = arith.andi %k, %c15
// CHECK:         cube.store %[[C]], %x[%[[R]]]
// CHECK:         cube.divui
cube.kernel @of_sum(%x: !cube.array<i32>, %k: i32) cube_dim(64) {
  %w = arith.constant 24 : i32
  %mask = arith.constant 15 : i32
  %r = cube.topology unit_pos_x
  %c = arith.andi %k, %mask : i32
  %m = arith.muli %r, %w : i32
  %s = arith.addi %m, %c : i32
  %row = cube.divui %s, %w : i32
  %col = cube.remui %s, %w : i32
  cube.store %col, %x[%row] : i32, !cube.array<i32>
  %m2 = arith.muli %k, %w : i32
  %s2 = arith.addi %m2, %c : i32
  %row2 = cube.divui %s2, %w : i32
  cube.store %k, %x[%row2] : i32, !cube.array<i32>
  cube.return
}

// Matrix addition with one index per axis, as in tutorials: wide accesses without checks of the row or the column.
// WIDE-LABEL: cube.kernel @add(
// WIDE:         arith.cmpi ne, %w, %c0
// WIDE:         cube.load %a[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// WIDE:         cube.load %b[%{{.*}}] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// WIDE:         cube.store %{{.*}}, %c[%{{.*}}] inbounds {align = 16 : i32} : vector<4xf32>
cube.kernel @add(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>, %w: i32, %h: i32) cube_dim(256) {
  %cube = cube.topology cube_pos_x
  %dim = cube.topology cube_dim_x
  %unit = cube.topology unit_pos_x
  %before = arith.muli %cube, %dim : i32
  %p = arith.addi %before, %unit : i32
  %row = cube.divui %p, %w : i32
  %col = cube.remui %p, %w : i32
  %r = arith.cmpi ult, %row, %h : i32
  %c1 = arith.cmpi ult, %col, %w : i32
  %inside = arith.andi %r, %c1 : i1
  scf.if %inside {
    %m = arith.muli %row, %w : i32
    %i = arith.addi %m, %col : i32
    %x = cube.load %a[%i] : !cube.array<f32> -> f32
    %y = cube.load %b[%i] : !cube.array<f32> -> f32
    %s = arith.addf %x, %y : f32
    cube.store %s, %c[%i] : f32, !cube.array<f32>
  }
  cube.return
}

// SAID: simplify-indices {{ *}}1 expressions kept
// SAID-NEXT: simplify-indices {{ *}}19 expressions simplified
