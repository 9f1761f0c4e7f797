// The module survives a round trip through text, generic text and bytecode.
// RUN: cube-opt %s > %t.once
// RUN: cube-opt %t.once | diff %t.once -
// RUN: cube-opt %s --mlir-print-op-generic | cube-opt | diff %t.once -
// RUN: cube-opt %s --emit-bytecode -o %t.bc
// RUN: cube-opt %t.bc | diff %t.once -
// RUN: cubec %t.bc --kernel all --param N=1 --emit specialize -o - | FileCheck %s --check-prefix=BYTECODE
// RUN: FileCheck %s --input-file=%t.once
// RUN: cube-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// BYTECODE: cube.kernel @all
// GENERIC: "cube.kernel"() <{arg_attrs = [{cube.access = "read", cube.host = "u32"}, {}, {}, {}], arg_names = ["x", "y", "i", "b"], comptime = [#cube.comptime<"N", i32, 4 : i32>, #cube.comptime<"F", none, f32>], cube_dim = array<i32: 8, 4, 1>, function_type = (!cube.array<i32>, !cube.array<f32, 4>, i32, i1) -> (), sym_name = "all"}>
// GENERIC: <{bounds = #cube<bounds checked>}>
// GENERIC: "cube.topology"() <{value = #cube<topology absolute_pos>}>

// CHECK-LABEL: cube.kernel @all comptime(@N : i32 = 4, @F : type = f32)(%x: !cube.array<i32> {cube.access = "read", cube.host = "u32"}, %y: !cube.array<f32, 4>, %i: i32, %b: i1) cube_dim(8, 4) attributes {note = "kept"} {
cube.kernel @all comptime(@N : i32 = 4, @F : type = f32)(%x: !cube.array<i32> {cube.host = "u32", cube.access = "read"}, %y: !cube.array<f32, 4>, %i: i32, %b: i1) cube_dim(8, 4, 1) attributes {note = "kept"} {
  // CHECK-NEXT: %[[N:.*]] = cube.constant <@N> : i32
  %n = cube.constant <@N> : i32
  // CHECK-NEXT: %[[LX:.*]] = cube.len %x : !cube.array<i32>
  %lx = cube.len %x : !cube.array<i32>
  // CHECK-NEXT: cube.load %x[%i] : !cube.array<i32> -> i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  // CHECK-NEXT: cube.load %x[%i] checked : !cube.array<i32> -> i32
  %w = cube.load %x[%i] checked : !cube.array<i32> -> i32
  // CHECK-NEXT: cube.load %x[%i] inbounds by guard : !cube.array<i32> -> i32
  %z = cube.load %x[%i] inbounds by guard : !cube.array<i32> -> i32
  // CHECK-NEXT: %[[L:.*]] = cube.load %y[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.load %y[%i] : !cube.array<f32, 4> -> vector<4xf32>
  // CHECK-NEXT: cube.store %[[L]], %y[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.store %l, %y[%i] : vector<4xf32>, !cube.array<f32, 4>
  // CHECK-NEXT: cube.store %[[L]], %y[%i] checked : vector<4xf32>, !cube.array<f32, 4>
  cube.store %l, %y[%i] checked : vector<4xf32>, !cube.array<f32, 4>
  // CHECK-NEXT: cube.store %[[L]], %y[%i] inbounds {a} : vector<4xf32>, !cube.array<f32, 4>
  cube.store %l, %y[%i] inbounds {a} : vector<4xf32>, !cube.array<f32, 4>
  // CHECK-NEXT: %[[C:.*]]:2 = cube.call @two(%[[N]], %[[LX]]) : (i32, i32) -> (i32, i32)
  %c:2 = cube.call @two(%n, %lx) : (i32, i32) -> (i32, i32)
  // CHECK-NEXT: cube.call @none() : () -> ()
  cube.call @none() : () -> ()
  // CHECK-NEXT: cube.return
  cube.return
}

// CHECK-LABEL: cube.func @two(%a: i32, %b: i32) -> (i32, i32) {
cube.func @two(%a: i32, %b: i32) -> (i32, i32) {
  // CHECK-NEXT: cube.divui %a, %b : i32
  %0 = cube.divui %a, %b : i32
  // CHECK-NEXT: cube.divsi %{{.*}}, %b : i32
  %1 = cube.divsi %0, %b : i32
  // CHECK-NEXT: cube.remui
  %2 = cube.remui %1, %b : i32
  // CHECK-NEXT: cube.remsi
  %3 = cube.remsi %2, %b : i32
  // CHECK-NEXT: cube.shl
  %4 = cube.shl %3, %b : i32
  // CHECK-NEXT: cube.shrui
  %5 = cube.shrui %4, %b : i32
  // CHECK-NEXT: cube.shrsi %{{.*}}, %b {tag} : i32
  %6 = cube.shrsi %5, %b {tag} : i32
  // CHECK-NEXT: %[[V:.*]] = arith.constant dense<1> : vector<2xi64>
  %v = arith.constant dense<1> : vector<2xi64>
  // CHECK-NEXT: cube.divui %[[V]], %[[V]] : vector<2xi64>
  %7 = cube.divui %v, %v : vector<2xi64>
  // CHECK-NEXT: cube.return %{{.*}}, %a : i32, i32
  cube.return %6, %a : i32, i32
}

// CHECK-LABEL: cube.func private @none() {
// CHECK-NEXT: cube.return
cube.func private @none() {
  cube.return
}

// All topology values; each value has a keyword.
// CHECK-LABEL: cube.func @topology()
cube.func @topology() {
  // CHECK-NEXT: cube.topology absolute_pos
  %0 = cube.topology absolute_pos
  // CHECK-NEXT: cube.topology absolute_pos_x
  %1 = cube.topology absolute_pos_x
  // CHECK-NEXT: cube.topology absolute_pos_y
  %2 = cube.topology absolute_pos_y
  // CHECK-NEXT: cube.topology absolute_pos_z
  %3 = cube.topology absolute_pos_z
  // CHECK-NEXT: cube.topology unit_pos
  %4 = cube.topology unit_pos
  // CHECK-NEXT: cube.topology unit_pos_x
  %5 = cube.topology unit_pos_x
  // CHECK-NEXT: cube.topology unit_pos_y
  %6 = cube.topology unit_pos_y
  // CHECK-NEXT: cube.topology unit_pos_z
  %7 = cube.topology unit_pos_z
  // CHECK-NEXT: cube.topology cube_pos
  %8 = cube.topology cube_pos
  // CHECK-NEXT: cube.topology cube_pos_x
  %9 = cube.topology cube_pos_x
  // CHECK-NEXT: cube.topology cube_pos_y
  %10 = cube.topology cube_pos_y
  // CHECK-NEXT: cube.topology cube_pos_z
  %11 = cube.topology cube_pos_z
  // CHECK-NEXT: cube.topology cube_dim
  %12 = cube.topology cube_dim
  // CHECK-NEXT: cube.topology cube_dim_x
  %13 = cube.topology cube_dim_x
  // CHECK-NEXT: cube.topology cube_dim_y
  %14 = cube.topology cube_dim_y
  // CHECK-NEXT: cube.topology cube_dim_z
  %15 = cube.topology cube_dim_z
  // CHECK-NEXT: cube.topology cube_count
  %16 = cube.topology cube_count
  // CHECK-NEXT: cube.topology cube_count_x
  %17 = cube.topology cube_count_x
  // CHECK-NEXT: cube.topology cube_count_y
  %18 = cube.topology cube_count_y
  // CHECK-NEXT: cube.topology cube_count_z {mine}
  %19 = cube.topology cube_count_z {mine}
  cube.return
}
