// Each cube writes how many units it has, at its own linear position.
cube.kernel @sizes(%out: !cube.array<i32>) cube_dim(8, 4) {
  %cube = cube.topology cube_pos
  %units = cube.topology cube_dim
  cube.store %units, %out[%cube] : i32, !cube.array<i32>
  cube.return
}
