// Ends a block of `cube.if`, after which the kernel continues; the terminator is optional in text.
cube.kernel @uses_yield(%x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %rest = cube.remui %i, %two : i32
  %even = arith.cmpi eq, %rest, %zero : i32
  cube.if %even {
    cube.store %i, %x[%i] : i32, !cube.array<i32>
    cube.yield
  }
  cube.return
}
