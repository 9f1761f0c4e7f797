// Reads the lane of a line whose number is in another buffer.
cube.kernel @uses_extract(%x: !cube.array<f32, 4>, %which: !cube.array<i32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.load %which[%i] : !cube.array<i32> -> i32
  %r = cube.extract %v[%l] : vector<4xf32> -> f32
  cube.store %r, %out[%i] : f32, !cube.array<f32>
  cube.return
}
