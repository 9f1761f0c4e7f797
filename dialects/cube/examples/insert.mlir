// Sets the lane whose number is in another buffer to 0.
cube.kernel @uses_insert(%x: !cube.array<f32, 4>, %which: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0.0 : f32
  %v = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %l = cube.load %which[%i] : !cube.array<i32> -> i32
  %r = cube.insert %zero, %v[%l] : f32, vector<4xf32>
  cube.store %r, %x[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
