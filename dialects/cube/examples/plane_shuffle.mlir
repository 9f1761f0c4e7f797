// Each lane receives the value of a neighbouring lane.
cube.kernel @uses_plane_shuffle(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %one = arith.constant 1 : i32
  %r = cube.plane_shuffle xor %v, %one : f32
  cube.store %r, %out[%i] : f32, !cube.array<f32>
  cube.return
}
