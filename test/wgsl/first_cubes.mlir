// RUN: cubec %s --target wgsl:core --kernel negate -o - | FileCheck %s
// RUN: cubec %s --target wgsl:core-f16 --kernel halves -o - | FileCheck %s --check-prefix=HALF
// RUN: cubec %s --target wgsl:core --kernel lines -o - | FileCheck %s --check-prefix=LINE
// RUN: cubec %s --target wgsl:core --kernel gathered -o - | FileCheck %s --check-prefix=GATHER

// The branch between the first cubes and the others becomes two entry points. Each has its own variables for the bindings.
// CHECK:      first_cubes: u32,
// CHECK:      @group(0) @binding(0) var<storage, read> x: array<f32>;
// CHECK-NEXT: @group(0) @binding(1) var<storage, read_write> y: array<f32>;
// CHECK-NEXT: @group(0) @binding(0) var<storage, read> x_vectors: array<vec4<f32>>; // for the first cubes
// CHECK-NEXT: @group(0) @binding(1) var<storage, read_write> y_vectors: array<vec4<f32>>; // for the first cubes
// CHECK:      fn negate(
// CHECK-NOT:  _vectors
// CHECK:      arguments.first_cubes * 192u;
// CHECK-NOT:  _vectors
// CHECK:      // The cubes below first_cubes along x.
// CHECK-NEXT: @compute @workgroup_size(64, 1, 1)
// CHECK-NEXT: fn negate_first(
// CHECK-NOT:  if (
// CHECK-NOT:  arguments.first_cubes
// CHECK:      let [[UNIT:v[0-9]+]] = (cube_pos_x * 64u) + unit_pos.x;
// CHECK:      let [[BASE:v[0-9]+]] = [[UNIT]] * 4u;
// CHECK:      let [[AT:v[0-9]+]] = [[BASE]] >> 2u;
// CHECK-NEXT: let [[X:v[0-9]+]] = x_vectors[[[AT]]];
// CHECK:      -[[X]].w;
// CHECK:      y_vectors[{{v[0-9]+}}] = vec4<f32>(
cube.kernel @negate(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.len %y : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<f32> -> f32
    %r = arith.negf %v : f32
    cube.store %r, %y[%i] : f32, !cube.array<f32>
  }
  cube.return
}

// A unit of the first cubes has 8 elements of 2 bytes, as two vectors.
// HALF:      fn halves_first(
// HALF:      let [[BASE:v[0-9]+]] = {{.*}} * 8u;
// HALF:      let [[AT:v[0-9]+]] = [[BASE]] >> 2u;
// HALF-NEXT: x_vectors[[[AT]]];
// HALF-NEXT: x_vectors[[[AT]] + 1u];
// HALF:      y_vectors[[[TO:v[0-9]+]]] = vec4<f16>(
// HALF-NEXT: y_vectors[[[TO]] + 1u] = vec4<f16>(
cube.kernel @halves(%x: !cube.array<f16>, %y: !cube.array<f16>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %r = arith.addf %v, %v : f16
  cube.store %r, %y[%i] : f16, !cube.array<f16>
  cube.return
}

// The first cubes also load single elements of x, so x has no vectors. An access to 4 elements of x is 4 loads.
// GATHER-NOT: x_vectors
// GATHER:     y_vectors: array<vec4<u32>>;
// GATHER:     fn gathered_first(
// GATHER:     x[[[BASE:v[0-9]+]]];
// GATHER:     x[[[BASE]] + 3u];
// GATHER:     y_vectors[
cube.kernel @gathered(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %w = cube.load %x[%v] : !cube.array<i32> -> i32
  %r = arith.addi %v, %w : i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// A line of 4 numbers fills the widest access. A unit of the first cubes has 4 lines, a cube dim apart, without checks.
// LINE:      fn lines(
// LINE:      if (
// LINE:      fn lines_first(
// LINE-NOT:  if (
// LINE:      [[BASE:v[0-9]+]] = {{.*}} + {{.*}};
// LINE:      for (; [[N:r[0-9]+]] < 4u; [[N]] = [[N]] + 1u) {
// LINE-NEXT: [[N]] * 64u;
// LINE-NOT:  if (
// LINE:      [[V:v[0-9]+]] = x[{{v[0-9]+}}];
// LINE:      -[[V]].w;
// LINE:      y[{{v[0-9]+}}] = vec4<f32>(
cube.kernel @lines(%x: !cube.array<f32, 4>, %y: !cube.array<f32, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %r = arith.negf %v : vector<4xf32>
  cube.store %r, %y[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
