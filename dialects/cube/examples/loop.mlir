// Counts the steps of the Collatz sequence until it reaches 1.
cube.kernel @uses_loop(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %u = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %start = cube.load %x[%u] : !cube.array<i32> -> i32
  %value = cube.alloc : !cube.local<1 x i32>
  %steps = cube.alloc : !cube.local<1 x i32>
  cube.store %start, %value[%zero] : i32, !cube.local<1 x i32>
  cube.store %zero, %steps[%zero] : i32, !cube.local<1 x i32>
  cube.loop {
    %v = cube.load %value[%zero] : !cube.local<1 x i32> -> i32
    %done = arith.cmpi ule, %v, %one : i32
    cube.if %done {
      cube.break
    }
    %rest = cube.remui %v, %two : i32
    %even = arith.cmpi eq, %rest, %zero : i32
    %half = cube.divui %v, %two : i32
    %triple = arith.muli %v, %three : i32
    %more = arith.addi %triple, %one : i32
    %next = arith.select %even, %half, %more : i32
    cube.store %next, %value[%zero] : i32, !cube.local<1 x i32>
    %s = cube.load %steps[%zero] : !cube.local<1 x i32> -> i32
    %t = arith.addi %s, %one : i32
    cube.store %t, %steps[%zero] : i32, !cube.local<1 x i32>
  }
  %r = cube.load %steps[%zero] : !cube.local<1 x i32> -> i32
  cube.store %r, %out[%u] : i32, !cube.array<i32>
  cube.return
}
