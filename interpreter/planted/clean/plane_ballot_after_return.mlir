// Units beyond the end have returned; the active lanes execute the ballot.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @plane_ballot_after_return(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %most = arith.constant 50 : i32
  %outside = arith.cmpi uge, %i, %most : i32
  cube.if %outside {
    cube.return
  }
  %b = cube.plane_ballot %outside : vector<4xi32>
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
