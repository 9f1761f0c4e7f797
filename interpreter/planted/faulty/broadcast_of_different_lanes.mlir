// The source lane of the broadcast differs between lanes.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @broadcast_of_different_lanes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %l = cube.topology unit_pos_plane
  %v = cube.plane_broadcast %i, %l : i32 // FINDS barriers
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
