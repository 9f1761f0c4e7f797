// `specialize{params=N=8}` sets the parameter to 8; the default is 4.
cube.kernel @strided comptime(@N : i32 = 4) (%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %n = cube.constant <@N> : i32
  %i = cube.topology absolute_pos
  %at = arith.muli %i, %n : i32
  %v = cube.load %x[%at] : !cube.array<f32> -> f32
  cube.store %v, %y[%i] : f32, !cube.array<f32>
  cube.return
}
