// The sum of the positive values of a row of 8.
cube.kernel @uses_continue(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %u = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i32
  %base = arith.muli %u, %eight : i32
  %sum = cube.alloc : !cube.local<1 x i32>
  cube.store %zero, %sum[%zero] : i32, !cube.local<1 x i32>
  cube.for %i = %zero to %eight step %one : i32 {
    %at = arith.addi %base, %i : i32
    %v = cube.load %x[%at] : !cube.array<i32> -> i32
    %skip = arith.cmpi sle, %v, %zero : i32
    cube.if %skip {
      cube.continue
    }
    %s = cube.load %sum[%zero] : !cube.local<1 x i32> -> i32
    %t = arith.addi %s, %v : i32
    cube.store %t, %sum[%zero] : i32, !cube.local<1 x i32>
  }
  %r = cube.load %sum[%zero] : !cube.local<1 x i32> -> i32
  cube.store %r, %out[%u] : i32, !cube.array<i32>
  cube.return
}
