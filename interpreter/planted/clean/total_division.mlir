// The division of the dialect is total: it has a result for divisor 0.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @total_division(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %q = cube.divui %n, %u : i32
  cube.store %q, %y[%i] : i32, !cube.array<i32>
  cube.return
}
