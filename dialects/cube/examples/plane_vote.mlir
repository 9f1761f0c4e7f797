// Tests whether any value of the plane is above a limit.
cube.kernel @uses_plane_vote(%x: !cube.array<f32>, %limit: f32, %out: !cube.array<i1>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %above = arith.cmpf ogt, %v, %limit : f32
  %any = cube.plane_vote any %above
  cube.store %any, %out[%i] : i1, !cube.array<i1>
  cube.return
}
