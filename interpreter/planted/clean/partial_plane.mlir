// A cube of 40 units with planes of 32 lanes: the second plane is partial.
// arg: iota i32 40
// arg: uninit i32 40
// cubes: 1
cube.kernel @partial_plane(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(40) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %s = cube.plane_scan inclusive addi %i : i32
  %m = cube.plane_reduce maxsi %s : i32
  cube.store %m, %y[%i] : i32, !cube.array<i32>
  cube.return
}
