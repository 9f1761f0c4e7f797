// Eight lines from the third on; a read behind them gives 0, although the array continues.
cube.kernel @uses_slice(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %two = arith.constant 2 : i32
  %ten = arith.constant 10 : i32
  %part = cube.slice %x[%two to %ten] : !cube.array<f32> -> !cube.slice<f32>
  %v = cube.load %part[%i] : !cube.slice<f32> -> f32
  cube.store %v, %out[%i] : f32, !cube.array<f32>
  cube.return
}
