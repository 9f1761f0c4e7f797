// Units of one cube wait at two different barriers, one in each arm of a branch.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @two_barriers_instead_of_one(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %odd = arith.andi %u, %one : i32
  %is = arith.cmpi eq, %odd, %one : i32
  cube.if %is {
    cube.sync cube // FINDS barriers
  } else {
    cube.sync cube
  }
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
