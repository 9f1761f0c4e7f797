// The first unit claims the slot; the other units read the number of this unit.
cube.kernel @uses_atomic_cas(%owner: !cube.array<i32>, %won: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %old = cube.atomic_cas %zero, %one, %owner[%zero] : i32, !cube.array<i32>
  %first = arith.cmpi eq, %old, %zero : i32
  scf.if %first {
    cube.store %one, %won[%zero] : i32, !cube.array<i32>
  }
  cube.return
}
