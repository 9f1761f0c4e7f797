// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90},cube.kernel(coarsen))' --split-input-file | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=spirv:vulkan1.3},cube.kernel(coarsen{bits=128}))' --split-input-file | FileCheck %s --check-prefix=ROWS

// The target permits 2^30 cubes along x, so all cubes of a launch are along x.
// CHECK-LABEL: cube.kernel @negate(
// CHECK-SAME:    %wide_end: i32 {cube.derived = "mul(min(lt(add(mul(mul(cubes(0), cubes(1)), cubes(2)), 4), 16777217),
// CHECK-SAME:    cube.cube_count = ["ceildiv(mul(mul(cubes(0), cubes(1)), cubes(2)), add(1, {{.*}}))", "1", "1"]
// CHECK-NEXT:    %[[UNIT:.*]] = cube.topology absolute_pos_x
// CHECK-NEXT:    %[[BASE:.*]] = arith.muli %[[UNIT]], %unit_elements : i32
// CHECK-NEXT:    %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-NEXT:    %[[TOP:.*]] = arith.addi %[[BASE]], %[[THREE]] : i32
// CHECK-NEXT:    %[[ALL:.*]] = arith.cmpi ult, %[[TOP]], %wide_end : i32
// CHECK-NEXT:    scf.if %[[ALL]] {
// ROWS-LABEL:  cube.kernel @negate(
// ROWS-SAME:     cube.cube_count = ["ceildiv(cubes(0), add(1, {{.*}}))", "cubes(1)", "cubes(2)"]
// ROWS-NEXT:     cube.topology absolute_pos{{$}}
cube.kernel @negate(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %out : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
    %r = arith.negf %v : f32
    cube.store %r, %out[%i] inbounds : f32, !cube.array<f32>
  }
  cube.return
}

// -----

// With two units in a cube, a launch can need more cubes than the target permits along x.
// CHECK-LABEL: cube.kernel @of_small_cubes(
// CHECK-SAME:    cube.cube_count = ["ceildiv(cubes(0), add(1, {{.*}}))", "cubes(1)", "cubes(2)"]
// CHECK-NEXT:    cube.topology absolute_pos{{$}}
cube.kernel @of_small_cubes(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %r = arith.negf %v : f32
  cube.store %r, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}

// -----

// The kernel reads a position of the requested launch along y.
// CHECK-LABEL: cube.kernel @of_rows(
// CHECK-SAME:    cube.cube_count = ["ceildiv(cubes(0), add(1, {{.*}}))", "cubes(1)", "cubes(2)"]
cube.kernel @of_rows(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %row = cube.topology absolute_pos_y
  %v = cube.load %x[%i] checked : !cube.array<f32> -> f32
  %f = cube.cast %row : i32 to f32
  %r = arith.addf %v, %f : f32
  cube.store %r, %out[%i] checked : f32, !cube.array<f32>
  cube.return
}
