// One unit of each plane increments the counter.
cube.kernel @uses_plane_elect(%planes: !cube.array<i32>) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %me = cube.plane_elect
  scf.if %me {
    %old = cube.atomic_rmw addi %one, %planes[%zero] : i32, !cube.array<i32>
  }
  cube.return
}
