// Sums of rows with bounds checks; the loops over units are vectorised.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %i = cube.topology absolute_pos
  %len = cube.len %r : !cube.array<i32>
  %inside = arith.cmpi ult, %i, %len : i32
  scf.if %inside {
    %row = arith.muli %i, %a : i32
    %sum = scf.for unsigned %c = %zero to %n step %one iter_args(%s = %start) -> (f32) : i32 {
      %at = arith.addi %row, %c : i32
      %v = cube.load %x[%at] : !cube.array<f32> -> f32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    cube.store %sum, %y[%i] : f32, !cube.array<f32>
    %twice = arith.muli %i, %n : i32
    cube.store %twice, %r[%i] : i32, !cube.array<i32>
  }
  cube.return
}
