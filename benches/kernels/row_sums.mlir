// Sums of the rows of a matrix of %cols lines of 4, as the book does it: a unit a row.
cube.kernel @unit_a_row(%matrix: !cube.array<f32, 4>, %sums: !cube.array<f32>, %cols: i32 {cube.host = "u32"}) cube_dim(128) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %row = cube.topology absolute_pos
  %rows = cube.len %sums : !cube.array<f32>
  %inside = arith.cmpi ult, %row, %rows : i32
  scf.if %inside {
    %start = arith.muli %row, %cols : i32
    %sum = scf.for unsigned %col = %0 to %cols step %1 iter_args(%so_far = %zero) -> (vector<4xf32>) : i32 {
      %at = arith.addi %start, %col : i32
      %v = cube.load %matrix[%at] : !cube.array<f32, 4> -> vector<4xf32>
      %next = arith.addf %so_far, %v : vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    %r = vector.reduction <add>, %sum : vector<4xf32> into f32
    cube.store %r, %sums[%row] : f32, !cube.array<f32>
  }
  cube.return
}

// A plane a row, eight rows a cube: lanes take neighbouring lines, and add up what they have at the end.
cube.kernel @plane_a_row(%matrix: !cube.array<f32, 4>, %sums: !cube.array<f32>, %cols: i32 {cube.host = "u32"}) cube_dim(32, 8) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %lane = cube.topology unit_pos_x
  %lanes = cube.topology cube_dim_x
  %row = cube.topology absolute_pos_y
  %start = arith.muli %row, %cols : i32
  %sum = scf.for unsigned %col = %lane to %cols step %lanes iter_args(%so_far = %zero) -> (vector<4xf32>) : i32 {
    %at = arith.addi %start, %col : i32
    %v = cube.load %matrix[%at] : !cube.array<f32, 4> -> vector<4xf32>
    %next = arith.addf %so_far, %v : vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  %own = vector.reduction <add>, %sum : vector<4xf32> into f32
  %all = cube.plane_reduce addf %own : f32
  %first = cube.plane_elect
  scf.if %first {
    cube.store %all, %sums[%row] : f32, !cube.array<f32>
  }
  cube.return
}
