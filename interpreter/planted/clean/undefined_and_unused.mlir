// A local variable contains an undefined value, which is overwritten before a load.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @undefined_and_unused(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
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
  cube.store %i, %cell[%zero] : i32, !cube.local<1 x i32>
  %v = cube.load %cell[%zero] : !cube.local<1 x i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
