// All units write the same flag.
cube.kernel @uses_atomic_store(%x: !cube.array<i32>) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cube.atomic_store %one, %x[%zero] : i32, !cube.array<i32>
  cube.return
}
