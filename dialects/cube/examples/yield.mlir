// The end of a block that goes on after `cube.if`; it need not be written.
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
