// A plane sum in a branch whose condition is uniform in each plane.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @plane_sum_of_some_planes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %p = cube.topology plane_pos
  %first = arith.cmpi eq, %p, %zero : i32
  cube.if %first {
    %s = cube.plane_reduce addi %i : i32
    cube.store %s, %y[%i] : i32, !cube.array<i32>
  }
  cube.return
}
