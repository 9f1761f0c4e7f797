// a % b with the sign of a; 0 if b is 0, and for MIN % -1.
cube.kernel @uses_remsi(%a: !cube.array<i32>, %b: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<i32> -> i32
  %y = cube.load %b[%i] : !cube.array<i32> -> i32
  %r = cube.remsi %x, %y : i32
  cube.store %r, %out[%i] : i32, !cube.array<i32>
  cube.return
}
