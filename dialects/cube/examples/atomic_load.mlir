// Reads a number that other cubes can write at the same time.
cube.kernel @uses_atomic_load(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.atomic_load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %out[%i] : i32, !cube.array<i32>
  cube.return
}
