// Either all units of a cube return before the barrier, or none.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 2
cube.kernel @early_return_of_whole_cubes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %second = arith.cmpi eq, %c, %one : i32
  cube.if %second {
    cube.return
  }
  cube.sync cube
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
