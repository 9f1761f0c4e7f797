// RUN: cubec %s --target wgsl:core --kernel whole -o - | FileCheck %s --check-prefix=WHOLE
// RUN: cubec %s --target wgsl:core --kernel linear -o - | FileCheck %s --check-prefix=LINEAR
// RUN: cubec %s --target wgsl:core --kernel loop -o - | FileCheck %s --check-prefix=KEYWORD
// RUN: cubec %s --target wgsl:core --kernel alone -o - | FileCheck %s --check-prefix=ALONE
// RUN: cubec %s --target wgsl:core --kernel derived -o - | FileCheck %s --check-prefix=DERIVED

// The bindings are the buffers in parameter order, then the uniform block: lengths, scalars, cube counts. A buffer
// without stores is read-only. Positions count from the first cube of the dispatch.
// WHOLE: struct Arguments {
// WHOLE-NEXT: x_len: u32,
// WHOLE-NEXT: y_len: u32,
// WHOLE-NEXT: a: f32,
// WHOLE-NEXT: on: u32,
// WHOLE-NEXT: n: u32,
// WHOLE-NEXT: first_cubes: u32,
// WHOLE-NEXT: first_cube: vec3<u32>,
// WHOLE-NEXT: step_x: u32,
// WHOLE-NEXT: cube_count: vec3<u32>,
// WHOLE-NEXT: step_y: u32,
// WHOLE-NEXT: }
// WHOLE: @group(0) @binding(0) var<storage, read> x: array<f32>;
// WHOLE-NEXT: @group(0) @binding(1) var<storage, read_write> y: array<f32>;
// WHOLE: @group(0) @binding(2) var<uniform> arguments: Arguments;
// WHOLE: @compute @workgroup_size(32, 2, 1)
// WHOLE-NEXT: fn whole(
// WHOLE-NEXT: @builtin(workgroup_id) workgroup_id: vec3<u32>,
// WHOLE: let cube_pos_x = (workgroup_id.x + (workgroup_id.y * arguments.step_x)) + arguments.first_cube.x;
// WHOLE: arguments.on != 0u
// WHOLE: (cube_pos_x * 32u) + unit_pos.x
// WHOLE: // bindings.mlir:[[#@LINE+4]]
cube.kernel @whole(%x: !cube.array<f32>, %a: f32, %y: !cube.array<f32>, %on: i1, %n: i32) cube_dim(32, 2) {
  %i = cube.topology absolute_pos_x
  %j = arith.addi %i, %n : i32
  %v = cube.load %x[%j] : !cube.array<f32> -> f32
  %p = arith.mulf %v, %a : f32
  %r = arith.select %on, %p, %v : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// A position over all axes reads the linear index of the cube, whose words follow those of the axes.
// LINEAR: step_y: u32,
// LINEAR-NEXT: first_index: u32,
// LINEAR-NEXT: step_row: u32,
// LINEAR-NEXT: step_layer: u32,
// LINEAR-NEXT: cube_total: u32,
// LINEAR-NEXT: }
// LINEAR: let cube_index = (workgroup_id.x + arguments.first_index) + ((workgroup_id.y * arguments.step_row) + (workgroup_id.z * arguments.step_layer));
// LINEAR-NOT: cube_pos
// LINEAR: (cube_index * 32u) + unit_pos.x
cube.kernel @linear(%y: !cube.array<i32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %c = cube.topology cube_pos
  cube.store %c, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// Keywords, WGSL's built-in names and names of generated variables are renamed.
// KEYWORD: // Kernel loop for wgsl:core.
// KEYWORD: var<storage, read_write> var_: array<u32>;
// KEYWORD: var<storage, read_write> select_: array<u32>;
// KEYWORD: var<storage, read_write> v1_: array<u32>;
// KEYWORD: var<storage, read_write> unit_pos_: array<u32>;
// KEYWORD: fn loop_(
cube.kernel @loop(%var: !cube.array<i32>, %select: !cube.array<i32>, %v1: !cube.array<i32>, %unit_pos: !cube.array<i32>) cube_dim(1) {
  %i = arith.constant 0 : i32
  cube.store %i, %var[%i] : i32, !cube.array<i32>
  cube.store %i, %select[%i] : i32, !cube.array<i32>
  cube.store %i, %v1[%i] : i32, !cube.array<i32>
  cube.store %i, %unit_pos[%i] : i32, !cube.array<i32>
  cube.return
}

// A kernel without arguments has no uniform block.
// ALONE-NOT: Arguments
// ALONE: fn alone() {
cube.kernel @alone() cube_dim(1) {
  cube.return
}

// Derived scalars follow the host's scalars in the uniform block.
// DERIVED: struct Arguments {
// DERIVED-NEXT: x_len: u32,
// DERIVED-NEXT: a: u32,
// DERIVED-NEXT: x_shape_0: u32,
cube.kernel @derived(%x: !cube.tensor<i32>, %a: i32) cube_dim(4) {
  %zero = arith.constant 0 : i32
  %n = cube.shape %x, %zero : !cube.tensor<i32>
  %r = arith.addi %n, %a : i32
  cube.store %r, %x[%zero] : i32, !cube.tensor<i32>
  cube.return
}
