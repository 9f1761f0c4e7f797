// Reading a lane outside of a line gives zero.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @line_by_lane(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %line = vector.broadcast %i : i32 to vector<4xi32>
  %v = cube.extract %line[%u] : vector<4xi32> -> i32
  %w = cube.insert %v, %line[%u] : i32, vector<4xi32>
  %r = vector.reduction <add>, %w : vector<4xi32> into i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}
