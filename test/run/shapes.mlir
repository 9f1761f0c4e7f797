// The kernel reads the shape of the tensor that the host has bound, on every backend.
// RUN-ARGS: --arg t=iota:2x3x4 --arg r=zeros:10 --cube-count 1 --check r=%S/data/shapes.r.npy
cube.kernel @shapes(%t: !cube.tensor<f32>, %r: !cube.array<i32>) cube_dim(1) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %4 = arith.constant 4 : i32
  %7 = arith.constant 7 : i32
  %8 = arith.constant 8 : i32
  %9 = arith.constant 9 : i32
  %17 = arith.constant 17 : i32
  %rank = cube.rank %t : !cube.tensor<f32>
  cube.store %rank, %r[%0] : i32, !cube.array<i32>
  cube.for unsigned %d = %0 to %3 step %1 : i32 {
    %shape = cube.shape %t, %d : !cube.tensor<f32>
    %stride = cube.stride %t, %d : !cube.tensor<f32>
    %at = arith.addi %d, %1 : i32
    %then = arith.addi %d, %4 : i32
    cube.store %shape, %r[%at] : i32, !cube.array<i32>
    cube.store %stride, %r[%then] : i32, !cube.array<i32>
  }
  %len = cube.len %t : !cube.tensor<f32>
  cube.store %len, %r[%7] : i32, !cube.array<i32>
  %row = cube.coordinate %t, %17, %1 : !cube.tensor<f32>
  %column = cube.coordinate %t, %17, %2 : !cube.tensor<f32>
  cube.store %row, %r[%8] : i32, !cube.array<i32>
  cube.store %column, %r[%9] : i32, !cube.array<i32>
  cube.return
}
