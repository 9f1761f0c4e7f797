// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=wgsl:core},cube.kernel(coarsen))' --cube-remarks=missed --split-input-file -o %t.out 2>%t.said
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said

// The launcher splits a launch of this target, so all units of a cube have the same form of the code. An unchecked buffer
// limits the first cubes too. A branch on the position has no copy.
// CHECK-LABEL: cube.kernel @add(
// CHECK-SAME:    %first_cubes: i32 {cube.derived = "mul(min({{.*}}), div(min(min(mul(mul(mul(cubes(0), cubes(1)), cubes(2)), 64), 4294967295), min(buffer_len(x), buffer_len(out))), 256))"}
// CHECK-SAME:    cube.cube_count = ["sub(mul(mul(cubes(0), cubes(1)), cubes(2)), mul(mul({{.*}}), 3))", "1", "1"]
// CHECK:         %[[CUBE:.*]] = cube.topology cube_pos_x
// CHECK-NEXT:    %[[UNIT:.*]] = cube.topology absolute_pos_x
// CHECK-NEXT:    %[[FIRST:.*]] = arith.cmpi ult, %[[CUBE]], %first_cubes : i32
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK:           %[[BASE:.*]] = arith.muli %[[UNIT]], %{{.*}} : i32
// CHECK-NOT:       scf.if
// CHECK:           %[[V:.*]] = cube.load %x[%[[BASE]]] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>
// CHECK:           %[[K:.*]] = vector.broadcast %k : f32 to vector<4xf32>
// CHECK:           %[[R:.*]] = arith.addf %[[V]], %[[K]] : vector<4xf32>
// CHECK:           cube.store %[[R]], %out[%[[BASE]]] inbounds {align = 16 : i32} : vector<4xf32>
// CHECK:         } else {
// CHECK:           %[[SKIPPED:.*]] = arith.muli %first_cubes, %c192
// CHECK:           %[[P:.*]] = arith.addi %[[UNIT]], %[[SKIPPED]] : i32
// CHECK:           arith.cmpi ult, %[[P]], %{{.*}} : i32
// CHECK:           scf.if
// CHECK:             cube.load %x[%[[P]]] checked : !cube.array<f32> -> f32
// CHECK:             cube.store %{{.*}}, %out[%[[P]]] inbounds by guard
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

// The kernel reads a row of the requested launch, so its rows stay. A launch with several rows has no first cubes.
// CHECK-LABEL: cube.kernel @of_rows(
// CHECK-SAME:    eq(mul(cubes(1), cubes(2)), 1)
// CHECK-SAME:    cube.cube_count = ["sub(cubes(0), {{.*}})", "cubes(1)", "cubes(2)"]
// CHECK:         cube.topology absolute_pos{{$}}
cube.kernel @of_rows(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %row = cube.topology absolute_pos_y
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %f = cube.cast %row : i32 to f32
  %r = arith.addf %v, %f : f32
  cube.store %r, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// Only the index of the store is the position for all widths. The two loads have a copy for each element.
// CHECK-LABEL: cube.kernel @shifted(
// CHECK:         scf.if
// CHECK-COUNT-8:   cube.load %x[%{{.*}}] checked : !cube.array<f32> -> f32
// CHECK:           cube.store %{{.*}}, %out[%{{.*}}] inbounds {align = 16 : i32} : vector<4xf32>
// CHECK:         } else {
cube.kernel @shifted(%x: !cube.array<f32>, %out: !cube.array<f32>, %w: i32 {cube.host = "u32"}) cube_dim(64) {
  %i = cube.topology absolute_pos
  %j = arith.addi %i, %w : i32
  %q = cube.divui %i, %w : i32
  %a = cube.load %x[%j] checked : !cube.array<f32> -> f32
  %b = cube.load %x[%q] checked : !cube.array<f32> -> f32
  %r = arith.addf %a, %b : f32
  cube.store %r, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// SAID: missed [coarsen:cubes-condition] each unit keeps one element, because the launcher cannot compute the positions at which the conditions of the kernel hold; compare the position with a length or an argument
cube.kernel @condition(%x: !cube.array<f32>, %out: !cube.array<f32>, %w: i32 {cube.host = "u32"}, %h: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %q = cube.divui %i, %w : i32
  %inside = arith.cmpi ult, %q, %h : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    cube.store %v, %out[%i] checked : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// SAID: missed [coarsen:cubes-loop] each unit keeps one element, because the target has no wide form of loops; no change is needed
cube.kernel @loop(%x: !cube.array<f32>, %y: !cube.array<f32>, %out: !cube.array<f32>, %n: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %sum = scf.for unsigned %j = %zero to %n step %one iter_args(%s = %v) -> (f32) : i32 {
    %a = cube.load %y[%j] checked : !cube.array<f32> -> f32
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  cube.store %sum, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// A line fills the widest access. A unit of the first cubes has 4 lines, which are a cube dim apart, so that the accesses of
// neighbouring units stay neighbours. The launch must have 65,536 units after that.
// CHECK-LABEL: cube.kernel @lines(
// CHECK-SAME:    %first_cubes: i32 {cube.derived = "mul({{.*}}lt(262143, mul(mul(mul(cubes(0), cubes(1)), cubes(2)), 64)){{.*}}, div({{.*}}, 256))"}
// CHECK-SAME:    cube.cube_count = ["sub(mul(mul(cubes(0), cubes(1)), cubes(2)), mul(mul({{.*}}), 3))", "1", "1"]
// CHECK:         %[[CUBE:.*]] = cube.topology cube_pos_x
// CHECK-NEXT:    %[[UNIT:.*]] = cube.topology absolute_pos_x
// CHECK:         scf.if
// CHECK:           %[[SKIP:.*]] = arith.muli %[[CUBE]], %c192
// CHECK-NEXT:      %[[BASE:.*]] = arith.addi %[[UNIT]], %[[SKIP]] : i32
// CHECK:           scf.for unsigned %[[D:.*]] = %c0{{.*}} to %c256{{.*}} step %c64
// CHECK:             %[[P:.*]] = arith.addi %[[BASE]], %[[D]] : i32
// CHECK:             cube.load %x[%[[P]]] inbounds : !cube.array<f32, 4> -> vector<4xf32>
// CHECK:             cube.load %x[%{{.*}}] checked : !cube.array<f32, 4> -> vector<4xf32>
// CHECK:             cube.store %{{.*}}, %out[%[[P]]] inbounds : vector<4xf32>, !cube.array<f32, 4>
// CHECK:         } else {
cube.kernel @lines(%x: !cube.array<f32, 4>, %out: !cube.array<f32, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %j = arith.addi %i, %one : i32
  %v = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>
  %w = cube.load %x[%j] checked : !cube.array<f32, 4> -> vector<4xf32>
  %r = arith.addf %v, %w : vector<4xf32>
  cube.store %r, %out[%i] checked : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
