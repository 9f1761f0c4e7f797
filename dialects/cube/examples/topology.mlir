// Each cube writes its number of units at the linear position of the cube.
cube.kernel @sizes(%out: !cube.array<i32>) cube_dim(8, 4) {
  %cube = cube.topology cube_pos
  %units = cube.topology cube_dim
  cube.store %units, %out[%cube] : i32, !cube.array<i32>
  cube.return
}
