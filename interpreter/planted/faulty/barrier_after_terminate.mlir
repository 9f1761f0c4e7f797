// A called function has terminated some units before the barrier.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.func @leave(%u: i32) {
  %five = arith.constant 5 : i32
  %is = arith.cmpi eq, %u, %five : i32
  cube.if %is {
    cube.terminate
  }
  cube.return
}
cube.kernel @barrier_after_terminate(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  cube.call @leave(%u) : (i32) -> ()
  cube.sync cube // FINDS barriers
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
