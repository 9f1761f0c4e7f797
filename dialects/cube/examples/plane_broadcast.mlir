// The value of the plane's first lane.
cube.kernel @uses_plane_broadcast(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %zero = arith.constant 0 : i32
  %r = cube.plane_broadcast %v, %zero : f32
  cube.store %r, %out[%i] : f32, !cube.array<f32>
  cube.return
}
