// A shift by too large an amount is undefined; its result goes through a local variable into a store.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @undefined_through_a_variable(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %cell = cube.alloc : !cube.local<1 x i32>
  %bad = arith.shli %one, %n : i32
  cube.store %bad, %cell[%zero] : i32, !cube.local<1 x i32>
  %v = cube.load %cell[%zero] : !cube.local<1 x i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32> // FINDS ub
  cube.return
}
