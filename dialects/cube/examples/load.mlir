// Loads a line of four floats, and one float with the promise that the index is in bounds.
cube.kernel @reads(%x: !cube.array<f32, 4>, %first: !cube.array<f32>, %y: !cube.array<f32, 4>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %line = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>
  %zero = arith.constant 0 : i32
  %one = cube.load %first[%zero] inbounds : !cube.array<f32> -> f32
  %lanes = vector.broadcast %one : f32 to vector<4xf32>
  %sum = arith.addf %line, %lanes : vector<4xf32>
  cube.store %sum, %y[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
