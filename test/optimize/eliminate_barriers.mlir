// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(eliminate-barriers))' --cube-remarks=analysis,missed,passed --cube-stats -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said

// Each unit reads only its own line, so the first barrier is redundant. The second barrier separates the store from
// loads by other units.
// CHECK-LABEL: cube.kernel @own_line(
// CHECK:         cube.store
// CHECK-NEXT:    cube.load
// CHECK-NEXT:    cube.sync cube
// CHECK-NEXT:    cube.load
// SAID: passed [eliminate-barriers:redundant] the barrier separates no conflicting accesses of different units, and is removed
// SAID: analysis [eliminate-barriers:needed] a unit writes bytes before the barrier that another unit can read after the barrier
cube.kernel @own_line(%out: !cube.array<i32> {cube.noalias}, %n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %one = arith.constant 1 : i32
  %last = arith.constant 63 : i32
  %other = arith.subi %last, %unit : i32
  %s = cube.alloc : !cube.shared<64 x i32>
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.sync cube
  %a = cube.load %s[%unit] inbounds : !cube.shared<64 x i32> -> i32
  cube.sync cube
  %b = cube.load %s[%other] inbounds : !cube.shared<64 x i32> -> i32
  %c = arith.addi %a, %b : i32
  cube.store %c, %out[%unit] checked : i32, !cube.array<i32>
  cube.return
}

// Of barriers without accesses between them, the last is kept. The start and end of a kernel need no barrier.
// CHECK-LABEL: cube.kernel @duplicates(
// CHECK-NOT:     cube.sync
// CHECK:         cube.store
// CHECK-NEXT:    arith.subi
// CHECK-NEXT:    cube.sync cube
// CHECK-NEXT:    cube.load
// CHECK-NOT:     cube.sync
// CHECK:         cube.return
cube.kernel @duplicates(%out: !cube.array<i32> {cube.noalias}, %n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %last = arith.constant 63 : i32
  %s = cube.alloc : !cube.shared<64 x i32>
  cube.sync cube
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.sync storage
  cube.sync cube
  %other = arith.subi %last, %unit : i32
  cube.sync cube
  %b = cube.load %s[%other] inbounds : !cube.shared<64 x i32> -> i32
  cube.store %b, %out[%unit] checked : i32, !cube.array<i32>
  cube.sync cube
  cube.return
}

// A barrier of scope `storage` does not order shared memory, so it does not replace the barrier of scope `cube`.
// CHECK-LABEL: cube.kernel @scopes(
// CHECK:         cube.store
// CHECK-NEXT:    cube.sync cube
// CHECK-NEXT:    cube.load
cube.kernel @scopes(%out: !cube.array<i32> {cube.noalias}, %n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %last = arith.constant 63 : i32
  %other = arith.subi %last, %unit : i32
  %s = cube.alloc : !cube.shared<64 x i32>
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  cube.sync cube
  cube.sync storage
  %b = cube.load %s[%other] inbounds : !cube.shared<64 x i32> -> i32
  cube.store %b, %out[%unit] checked : i32, !cube.array<i32>
  cube.return
}

// The second barrier of the loop separates the loads from the stores of the next iteration.
// CHECK-LABEL: cube.kernel @next_iteration(
// CHECK:         scf.for
// CHECK-COUNT-2:   cube.sync cube
// CHECK:         cube.return
cube.kernel @next_iteration(%out: !cube.array<i32> {cube.noalias}, %n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 63 : i32
  %other = arith.subi %last, %unit : i32
  %s = cube.alloc : !cube.shared<64 x i32>
  scf.for unsigned %c = %zero to %n step %one : i32 {
    cube.store %c, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
    cube.sync cube
    %b = cube.load %s[%other] inbounds : !cube.shared<64 x i32> -> i32
    cube.store %b, %out[%unit] checked : i32, !cube.array<i32>
    cube.sync cube
  }
  cube.return
}

// In each iteration every unit writes a new line. Units access equal lines only in different iterations.
// CHECK-LABEL: cube.kernel @moving_line(
// CHECK:         scf.for
// CHECK:           cube.sync cube
// CHECK:         cube.return
cube.kernel @moving_line(%n: i32) cube_dim(64) {
  %unit = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = cube.alloc : !cube.shared<256 x i32>
  scf.for unsigned %c = %zero to %n step %one : i32 {
    %at = arith.addi %unit, %c : i32
    cube.store %c, %s[%at] checked : i32, !cube.shared<256 x i32>
    cube.sync cube
  }
  cube.return
}

// Each unit accesses its own line in all iterations. The uniform offset is computed once.
// CHECK-LABEL: cube.kernel @own_line_in_loop(
// CHECK-NOT:     cube.sync
// CHECK:         cube.return
cube.kernel @own_line_in_loop(%n: i32) cube_dim(16, 4) {
  %x = cube.topology unit_pos_x
  %y = cube.topology unit_pos_y
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 16 : i32
  %row = arith.muli %y, %width : i32
  %flat = arith.addi %row, %x : i32
  %at = arith.addi %flat, %n : i32
  %s = cube.alloc : !cube.shared<256 x i32>
  scf.for unsigned %c = %zero to %n step %one : i32 {
    %v = cube.load %s[%at] checked : !cube.shared<256 x i32> -> i32
    cube.sync cube
    %w = arith.addi %v, %c : i32
    cube.store %w, %s[%at] checked : i32, !cube.shared<256 x i32>
    cube.sync cube
  }
  cube.return
}

// With rows of 8 lines and 16 units along x, units of neighbouring rows access the same line.
// CHECK-LABEL: cube.kernel @shared_rows(
// CHECK:         cube.store
// CHECK:         cube.sync cube
// CHECK:         cube.return
cube.kernel @shared_rows(%n: i32, %out: !cube.array<i32>) cube_dim(16, 4) {
  %x = cube.topology unit_pos_x
  %y = cube.topology unit_pos_y
  %width = arith.constant 8 : i32
  %row = arith.muli %y, %width : i32
  %at = arith.addi %row, %x : i32
  %s = cube.alloc : !cube.shared<256 x i32>
  cube.store %n, %s[%at] inbounds : i32, !cube.shared<256 x i32>
  cube.sync cube
  %v = cube.load %s[%at] inbounds : !cube.shared<256 x i32> -> i32
  cube.store %v, %out[%x] checked : i32, !cube.array<i32>
  cube.return
}

// A wide access of one unit covers lines of its neighbours, unless the lines are apart by the width of the access.
// CHECK-LABEL: cube.kernel @wide(
// CHECK:         %[[UNIT:.*]] = cube.topology unit_pos
// CHECK:         cube.store
// CHECK-NEXT:    cube.sync cube
// CHECK-NEXT:    cube.load %{{.*}}[%[[UNIT]]]
// CHECK-NEXT:    cube.load
// CHECK:         cube.return
cube.kernel @wide(%out: !cube.array<i32> {cube.noalias}, %v: i32) cube_dim(32) {
  %unit = cube.topology unit_pos
  %two = arith.constant 2 : i32
  %at = arith.muli %unit, %two : i32
  %pair = vector.broadcast %v : i32 to vector<2xi32>
  %s = cube.alloc : !cube.shared<64 x i32>
  cube.store %pair, %s[%at] inbounds {align = 8 : i32} : vector<2xi32>, !cube.shared<64 x i32>
  cube.sync cube
  %a = cube.load %s[%unit] inbounds {align = 4 : i32} : !cube.shared<64 x i32> -> vector<2xi32>
  cube.sync cube
  %b = cube.load %s[%at] inbounds {align = 8 : i32} : !cube.shared<64 x i32> -> vector<2xi32>
  %c = arith.addi %a, %b : vector<2xi32>
  %d = vector.extract %c[0] : i32 from vector<2xi32>
  cube.store %d, %out[%unit] checked : i32, !cube.array<i32>
  cube.return
}

// Barriers are kept: arguments can share bytes, an atomic can order accesses of other cubes, a print is opaque.
// CHECK-LABEL: cube.kernel @conservative(
// CHECK-COUNT-3: cube.sync
// CHECK:         cube.return
// SAID: missed [eliminate-barriers:may-alias] the barrier stays, because different arguments are accessed on its two sides, and they can share bytes
// SAID: missed [eliminate-barriers:atomic]
// SAID: missed [eliminate-barriers:opaque] the barrier stays, because the effects of 'cube.print' are not known
cube.kernel @conservative(%x: !cube.array<i32>, %y: !cube.array<i32>, %z: !cube.array<i32> {cube.noalias}, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  cube.store %n, %x[%i] checked : i32, !cube.array<i32>
  cube.sync storage
  %a = cube.load %y[%i] checked : !cube.array<i32> -> i32
  cube.sync storage
  %old = cube.atomic_rmw addi %a, %z[%zero] checked : i32, !cube.array<i32>
  cube.sync cube
  cube.print "here"
  cube.return
}

// Each unit of the launch accesses its own line of global memory.
// CHECK-LABEL: cube.kernel @global(
// CHECK-NOT:     cube.sync
// CHECK:         cube.return
cube.kernel @global(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  cube.store %n, %x[%i] checked : i32, !cube.array<i32>
  cube.sync storage
  %a = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %b = arith.addi %a, %n : i32
  cube.store %b, %x[%i] checked : i32, !cube.array<i32>
  cube.return
}

// The barrier in the branch does not cover the path around the branch.
// CHECK-LABEL: cube.kernel @branch(
// CHECK:         scf.if
// CHECK-NEXT:      cube.sync cube
// CHECK:         cube.sync cube
// CHECK:         cube.return
cube.kernel @branch(%out: !cube.array<i32> {cube.noalias}, %n: i32, %p: i1) cube_dim(64) {
  %unit = cube.topology unit_pos
  %last = arith.constant 63 : i32
  %other = arith.subi %last, %unit : i32
  %s = cube.alloc : !cube.shared<64 x i32>
  cube.store %n, %s[%unit] inbounds : i32, !cube.shared<64 x i32>
  scf.if %p {
    cube.sync cube
    %a = cube.load %s[%other] inbounds : !cube.shared<64 x i32> -> i32
    cube.store %a, %out[%unit] checked : i32, !cube.array<i32>
  }
  cube.sync cube
  %b = cube.load %s[%other] inbounds : !cube.shared<64 x i32> -> i32
  cube.store %b, %out[%unit] checked : i32, !cube.array<i32>
  cube.return
}

// Only some units reach the barrier, so the pass keeps it for the interpreter's report.
// CHECK-LABEL: cube.kernel @divergent(
// CHECK:         cube.sync cube
// SAID: missed [eliminate-barriers:divergent]
cube.kernel @divergent() cube_dim(64) {
  %unit = cube.topology unit_pos
  %two = arith.constant 2 : i32
  %p = arith.cmpi ult, %unit, %two : i32
  scf.if %p {
    cube.sync cube
  }
  cube.return
}
