cube.kernel @scale comptime(@N : i32 = 2)(%x: !cube.array<i32> {cube.host = "u32"}, %add: i32 {cube.host = "u32"}) cube_dim(64) {
  %n = cube.constant <@N> : i32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %product = arith.muli %v, %n : i32
  %r = arith.addi %product, %add : i32
  cube.store %r, %x[%i] : i32, !cube.array<i32>
  cube.return
}
