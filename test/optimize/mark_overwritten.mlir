// RUN: cube-opt %s --split-input-file --pass-pipeline='builtin.module(attach-target{target=nvptx},cube.kernel(mark-overwritten))' | FileCheck %s

// Each unit with a position below the length stores one line. A launch overwrites the buffer if it has enough units.
// CHECK-LABEL: cube.kernel @map
// CHECK-SAME: attributes {cube.overwritten = {out = "eq(min(mul(cubes(0), min(mul(cubes(1), cubes(2)), 4294967296)), ceildiv(buffer_len(out), 64)), ceildiv(buffer_len(out), 64))"}}
cube.kernel @map(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.len %out : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %out[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The comparison uses another length, and the store is in the second region. The position counts along one axis.
// CHECK-LABEL: cube.kernel @of_other_length
// CHECK-SAME: cube.overwritten = {out = "min(eq(min(buffer_len(x), buffer_len(out)), buffer_len(out)), eq(min(cubes(1), ceildiv(buffer_len(out), 4)), ceildiv(buffer_len(out), 4)))"}
cube.kernel @of_other_length(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(8, 4, 2) {
  %i = cube.topology absolute_pos_y
  %n = cube.len %x : !cube.array<f32>
  %outside = arith.cmpi uge, %i, %n : i32
  scf.if %outside {
  } else {
    %v = cube.load %x[%i] inbounds : !cube.array<f32> -> f32
    cube.store %v, %out[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// The first unit of each cube stores the line of the cube. A bounds check drops the stores of further cubes.
// CHECK-LABEL: cube.kernel @line_of_cube
// CHECK-SAME: cube.overwritten = {out = "eq(min(cubes(0), buffer_len(out)), buffer_len(out))"}
cube.kernel @line_of_cube(%out: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology cube_pos_x
  %unit = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %is_first = arith.cmpi eq, %unit, %zero : i32
  scf.if %is_first {
    cube.store %i, %out[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}

// -----

// The kernel reads the buffer.
// CHECK-LABEL: cube.kernel @reads
// CHECK-NOT: cube.overwritten
cube.kernel @reads(%out: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %out[%i] checked : !cube.array<i32> -> i32
  %s = arith.addi %v, %i : i32
  cube.store %s, %out[%i] checked : i32, !cube.array<i32>
  cube.return
}

// -----

// A condition depends on data, one on a signed comparison, and one on the unit.
// CHECK-LABEL: cube.kernel @conditions
// CHECK-NOT: cube.overwritten
cube.kernel @conditions(%x: !cube.array<i32>, %a: !cube.array<i32>, %b: !cube.array<i32>, %c: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %unit = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %v = cube.load %x[%i] checked : !cube.array<i32> -> i32
  %n = cube.len %b : !cube.array<i32>
  %positive = arith.cmpi ult, %zero, %v : i32
  %below = arith.cmpi slt, %i, %n : i32
  %is_first = arith.cmpi eq, %unit, %zero : i32
  scf.if %positive {
    cube.store %i, %a[%i] checked : i32, !cube.array<i32>
  }
  scf.if %below {
    cube.store %i, %b[%i] checked : i32, !cube.array<i32>
  }
  scf.if %is_first {
    cube.store %i, %c[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}

// -----

// The units of a plane, of a row of a cube, or of a loop store only some lines.
// CHECK-LABEL: cube.kernel @indices
// CHECK-NOT: cube.overwritten
cube.kernel @indices(%n: i32, %a: !cube.array<i32>, %b: !cube.array<i32>, %c: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %unit = cube.topology unit_pos
  %two = arith.constant 2 : i32
  %twice = arith.muli %i, %two : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cube.store %i, %a[%twice] checked : i32, !cube.array<i32>
  cube.store %i, %b[%unit] checked : i32, !cube.array<i32>
  scf.for %j = %zero to %n step %one : i32 {
    cube.store %j, %c[%i] checked : i32, !cube.array<i32>
  }
  cube.return
}

// -----

// A store of several lines, and a use of the buffer that is not an access.
// CHECK-LABEL: cube.kernel @uses
// CHECK-NOT: cube.overwritten
cube.kernel @uses(%a: !cube.array<f32>, %b: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = arith.constant dense<1.0> : vector<4xf32>
  %one = arith.constant 1 : i32
  cube.store %v, %a[%i] inbounds {align = 16 : i32} : vector<4xf32>, !cube.array<f32>
  cube.store %one, %b[%i] checked : i32, !cube.array<i32>
  %old = cube.atomic_rmw addi %one, %b[%i] : i32, !cube.array<i32>
  cube.return
}
