// Prints a line for each unit.
cube.kernel @uses_print(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.print "{}: {}"(%i, %v) : i32, f32
  %r = arith.negf %v : f32
  cube.store %r, %out[%i] : f32, !cube.array<f32>
  cube.return
}
