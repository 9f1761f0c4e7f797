// The sum of each row of a matrix: one unit a row.
//
// A matrix is a buffer in row-major order. `cube.host` declares its sizes as unsigned, because IR integers have no
// sign. The sum is computed from left to right, so its rounding is the same on every target.
cube.kernel @row_sum(%matrix: !cube.array<f32>, %sums: !cube.array<f32>,
                     %rows: i32 {cube.host = "u32"}, %cols: i32 {cube.host = "u32"}) cube_dim(64) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %row = cube.topology absolute_pos
  %inside = arith.cmpi ult, %row, %rows : i32
  scf.if %inside {
    %start = arith.muli %row, %cols : i32
    // `unsigned`, because columns count from 0 to 2^32 - 1; the loop carries the sum.
    %sum = scf.for unsigned %col = %first to %cols step %one iter_args(%so_far = %zero) -> (f32) : i32 {
      %at = arith.addi %start, %col : i32
      %v = cube.load %matrix[%at] : !cube.array<f32> -> f32
      %next = arith.addf %so_far, %v : f32
      scf.yield %next : f32
    }
    cube.store %sum, %sums[%row] : f32, !cube.array<f32>
  }
  cube.return
}
