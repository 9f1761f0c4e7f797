// Units whose index is beyond the end return.
cube.kernel @uses_if(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<i32>
  %outside = arith.cmpi uge, %i, %n : i32
  cube.if %outside {
    cube.return
  }
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}
