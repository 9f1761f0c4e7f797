// Unit 0 reads line -1, with the promise `inbounds`.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @one_before_the_start(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %o = arith.subi %i, %one : i32
  %v = cube.load %x[%o] inbounds : !cube.array<i32> -> i32 // FINDS ub
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
