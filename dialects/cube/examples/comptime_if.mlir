// A comptime parameter chooses one of two versions of the kernel.
cube.kernel @uses_comptime_if comptime(@DOUBLE : i1 = true)(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %double = cube.constant <@DOUBLE> : i1
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.comptime_if %double {
    %w = arith.addf %v, %v : f32
    cube.store %w, %x[%i] : f32, !cube.array<f32>
  } else {
    %w = arith.negf %v : f32
    cube.store %w, %x[%i] : f32, !cube.array<f32>
  }
  cube.return
}
