// RUN: cube-run %s --describe | FileCheck %s
// RUN: cubec %s --target wgsl:core -o - | FileCheck %s --check-prefix=WGSL

// A buffer is not accessed if the kernel reads only its length.
// CHECK: --arg x=.. {{ *}}buffer of f32 in lines of 4, not accessed
// CHECK: --arg unused=.. {{ *}}buffer of f32, not accessed
// CHECK: --arg out=.. {{ *}}buffer of i32, written
// WGSL: @group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
// WGSL: @group(0) @binding(1) var<storage, read> unused: array<f32>;
cube.kernel @length(%x: !cube.array<f32, 4>, %unused: !cube.array<f32>, %out: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %n = cube.len %x : !cube.array<f32, 4>
  cube.store %n, %out[%zero] : i32, !cube.array<i32>
  cube.return
}
