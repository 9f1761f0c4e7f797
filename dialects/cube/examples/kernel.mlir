// Two buffers, a scalar with an unsigned host type, a comptime parameter with a default, and 16 x 8 units in each cube.
cube.kernel @add_bias comptime(@N : i32 = 4) (
    %x: !cube.array<f32> {cube.access = "read"}, %y: !cube.array<f32>, %bias: i32 {cube.host = "u32"}) cube_dim(16, 8) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %b = arith.uitofp %bias : i32 to f32
  %r = arith.addf %v, %b : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
