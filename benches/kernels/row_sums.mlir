// Sums of the rows of a matrix with %cols lines of 4. One unit sums each row, as in the book.
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

// One plane sums each row, and a cube has eight planes. Lanes load neighbouring lines and reduce at the end.
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

// A cube of eight planes sums each row. Units load neighbouring lines, each plane reduces its lanes, and the first
// plane reduces the sums of the planes.
cube.kernel @cube_a_row(%matrix: !cube.array<f32, 4>, %sums: !cube.array<f32>, %cols: i32 {cube.host = "u32"}) cube_dim(256) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %none = arith.constant 0.0 : f32
  %unit = cube.topology unit_pos
  %units = cube.topology cube_dim
  %row = cube.topology cube_pos
  %plane = cube.topology plane_pos
  %lane = cube.topology unit_pos_plane
  %eight = arith.constant 8 : i32
  %0 = arith.constant 0 : i32
  %parts = cube.alloc : !cube.shared<8 x f32>
  %start = arith.muli %row, %cols : i32
  %sum = scf.for unsigned %col = %unit to %cols step %units iter_args(%so_far = %zero) -> (vector<4xf32>) : i32 {
    %at = arith.addi %start, %col : i32
    %v = cube.load %matrix[%at] : !cube.array<f32, 4> -> vector<4xf32>
    %next = arith.addf %so_far, %v : vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  %own = vector.reduction <add>, %sum : vector<4xf32> into f32
  %part = cube.plane_reduce addf %own : f32
  %first = cube.plane_elect
  scf.if %first {
    cube.store %part, %parts[%plane] : f32, !cube.shared<8 x f32>
  }
  cube.sync cube
  %has = arith.cmpi ult, %lane, %eight : i32
  %mine = scf.if %has -> (f32) {
    %v = cube.load %parts[%lane] : !cube.shared<8 x f32> -> f32
    scf.yield %v : f32
  } else {
    scf.yield %none : f32
  }
  %all = cube.plane_reduce addf %mine : f32
  %last = arith.cmpi eq, %unit, %0 : i32
  scf.if %last {
    cube.store %all, %sums[%row] : f32, !cube.array<f32>
  }
  cube.return
}
