// Stops at the first negative value.
cube.kernel @uses_break(%x: !cube.array<i32>, %wanted: i32, %out: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.len %x : !cube.array<i32>
  %at = cube.alloc : !cube.local<1 x i32>
  cube.store %n, %at[%zero] : i32, !cube.local<1 x i32>
  cube.for unsigned %i = %zero to %n step %one : i32 {
    %v = cube.load %x[%i] : !cube.array<i32> -> i32
    %found = arith.cmpi slt, %v, %wanted : i32
    cube.if %found {
      cube.store %i, %at[%zero] : i32, !cube.local<1 x i32>
      cube.break
    }
  }
  %r = cube.load %at[%zero] : !cube.local<1 x i32> -> i32
  cube.store %r, %out[%zero] : i32, !cube.array<i32>
  cube.return
}
