// Each lane receives the sum of the values of all lower lanes.
cube.kernel @uses_plane_scan(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %r = cube.plane_scan exclusive addi %v : i32
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}
