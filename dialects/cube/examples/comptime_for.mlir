// Four copies of the body, without a loop.
cube.kernel @uses_comptime_for comptime(@N : i32 = 4)(%x: !cube.array<f32>) cube_dim(64) {
  %u = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = cube.constant <@N> : i32
  %base = arith.muli %u, %n : i32
  cube.comptime_for %i = %zero to %n step %one : i32 {
    %at = arith.addi %base, %i : i32
    %v = cube.load %x[%at] : !cube.array<f32> -> f32
    %w = arith.addf %v, %v : f32
    cube.store %w, %x[%at] : f32, !cube.array<f32>
  }
  cube.return
}
