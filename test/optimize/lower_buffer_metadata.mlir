// RUN: cube-opt %s --lower-buffer-metadata | FileCheck %s

// Each requested extent, stride or length becomes one argument; equal requests share the argument.
// CHECK-LABEL: cube.kernel @asked(%t: !cube.tensor<f32>, %out: !cube.array<i32>, %t_shape_0: i32 {cube.derived = "shape(t, 0)"}, %t_stride_1: i32 {cube.derived = "stride(t, 1)"}, %t_rank: i32 {cube.derived = "rank(t)"}, %t_len: i32 {cube.derived = "len(t)"}) cube_dim(4) {
// CHECK: cube.store %t_shape_0, %out
// CHECK: cube.store %t_shape_0, %out
// CHECK: cube.store %t_stride_1, %out
// CHECK: cube.store %t_rank, %out
// CHECK: cube.store %t_len, %out
// CHECK: %[[N:.*]] = cube.len %out
// CHECK: cube.store %[[N]], %out
cube.kernel @asked(%t: !cube.tensor<f32>, %out: !cube.array<i32>) cube_dim(4) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = cube.shape %t, %zero : !cube.tensor<f32>
  cube.store %a, %out[%zero] : i32, !cube.array<i32>
  %b = cube.shape %t, %zero : !cube.tensor<f32>
  cube.store %b, %out[%zero] : i32, !cube.array<i32>
  %c = cube.stride %t, %one : !cube.tensor<f32>
  cube.store %c, %out[%zero] : i32, !cube.array<i32>
  %d = cube.rank %t : !cube.tensor<f32>
  cube.store %d, %out[%zero] : i32, !cube.array<i32>
  %e = cube.len %t : !cube.tensor<f32>
  cube.store %e, %out[%zero] : i32, !cube.array<i32>
  %f = cube.len %out : !cube.array<i32>
  cube.store %f, %out[%zero] : i32, !cube.array<i32>
  cube.return
}

// A coordinate is a division and a remainder; extents beyond dimension 8 are 0; a length from the host is an argument.
// CHECK-LABEL: cube.kernel @computed(%t: !cube.tensor<f32>, %x: !cube.array<i32> {cube.len = "host"}, %i: i32, %x_len: i32 {cube.derived = "len(x)"}, %t_shape_1: i32 {{.*}}, %t_stride_1: i32 {{.*}})
// CHECK: %[[Q:.*]] = cube.divui %i, %t_stride_1
// CHECK: %[[C:.*]] = cube.remui %[[Q]], %t_shape_1
// CHECK: cube.store %[[C]], %x[%x_len]
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: cube.store %[[ZERO]], %x
cube.kernel @computed(%t: !cube.tensor<f32>, %x: !cube.array<i32> {cube.len = "host"}, %i: i32) cube_dim(4) {
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i32
  %n = cube.len %x : !cube.array<i32>
  %c = cube.coordinate %t, %i, %one : !cube.tensor<f32>
  cube.store %c, %x[%n] : i32, !cube.array<i32>
  %z = cube.shape %t, %eight : !cube.tensor<f32>
  cube.store %z, %x[%one] : i32, !cube.array<i32>
  cube.return
}

// A dimension that is known at run time is selected among 8 arguments.
// CHECK-LABEL: cube.kernel @dynamic
// CHECK-COUNT-8: arith.select
// CHECK-NOT: arith.select
// CHECK: cube.return
cube.kernel @dynamic(%t: !cube.tensor<f32>, %x: !cube.array<i32>, %d: i32) cube_dim(4) {
  %s = cube.stride %t, %d : !cube.tensor<f32>
  cube.store %s, %x[%d] : i32, !cube.array<i32>
  cube.return
}
