// The kernel of examples/kernels: tiles in shared memory; each unit carries 4 x 4 sums across barriers.
// RUN-ARGS: --arg a=%S/data/matmul_tiled.a.npy --arg b=%S/data/matmul_tiled.b.npy --arg c=zeros:4096 --arg n=64 --cube-count 1,1 --check c=%S/data/matmul_tiled.c.npy
cube.kernel @matmul_tiled(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>, %n: i32 {cube.host = "u32"}) cube_dim(16, 16) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %depth = arith.constant 16 : i32
  %pitch = arith.constant 17 : i32
  %side = arith.constant 64 : i32
  %c32 = arith.constant 32 : i32
  %c48 = arith.constant 48 : i32
  %none = arith.constant 0.0 : f32
  %ta = cube.alloc : !cube.shared<1088 x f32>
  %tb = cube.alloc : !cube.shared<1024 x f32>
  %x = cube.topology unit_pos_x
  %y = cube.topology unit_pos_y
  %cube_x = cube.topology cube_pos_x
  %cube_y = cube.topology cube_pos_y
  %first_row = arith.muli %cube_y, %side : i32
  %first_col = arith.muli %cube_x, %side : i32
  %col = arith.addi %first_col, %x : i32
  // The unit loads rows y, y + 16, y + 32, y + 48 of a and columns x, x + 16, x + 32, x + 48 of b into the tiles.
  %ay0 = arith.addi %y, %zero : i32
  %row_a0 = arith.addi %first_row, %ay0 : i32
  %start_a0 = arith.muli %row_a0, %n : i32
  %line_a0 = arith.muli %ay0, %pitch : i32
  %own_a0 = arith.addi %line_a0, %x : i32
  %ay1 = arith.addi %y, %depth : i32
  %row_a1 = arith.addi %first_row, %ay1 : i32
  %start_a1 = arith.muli %row_a1, %n : i32
  %line_a1 = arith.muli %ay1, %pitch : i32
  %own_a1 = arith.addi %line_a1, %x : i32
  %ay2 = arith.addi %y, %c32 : i32
  %row_a2 = arith.addi %first_row, %ay2 : i32
  %start_a2 = arith.muli %row_a2, %n : i32
  %line_a2 = arith.muli %ay2, %pitch : i32
  %own_a2 = arith.addi %line_a2, %x : i32
  %ay3 = arith.addi %y, %c48 : i32
  %row_a3 = arith.addi %first_row, %ay3 : i32
  %start_a3 = arith.muli %row_a3, %n : i32
  %line_a3 = arith.muli %ay3, %pitch : i32
  %own_a3 = arith.addi %line_a3, %x : i32
  %line_b = arith.muli %y, %side : i32
  %bx0 = arith.addi %x, %zero : i32
  %own_b0 = arith.addi %line_b, %bx0 : i32
  %col0 = arith.addi %col, %zero : i32
  %bx1 = arith.addi %x, %depth : i32
  %own_b1 = arith.addi %line_b, %bx1 : i32
  %col1 = arith.addi %col, %depth : i32
  %bx2 = arith.addi %x, %c32 : i32
  %own_b2 = arith.addi %line_b, %bx2 : i32
  %col2 = arith.addi %col, %c32 : i32
  %bx3 = arith.addi %x, %c48 : i32
  %own_b3 = arith.addi %line_b, %bx3 : i32
  %col3 = arith.addi %col, %c48 : i32
  // The unit computes rows 4 y to 4 y + 3.
  %y4 = arith.muli %y, %four : i32
  %r0 = arith.addi %y4, %zero : i32
  %line0 = arith.muli %r0, %pitch : i32
  %r1 = arith.addi %y4, %one : i32
  %line1 = arith.muli %r1, %pitch : i32
  %r2 = arith.addi %y4, %two : i32
  %line2 = arith.muli %r2, %pitch : i32
  %r3 = arith.addi %y4, %three : i32
  %line3 = arith.muli %r3, %pitch : i32
  %sums:16 = scf.for unsigned %k = %zero to %n step %depth iter_args(
      %s00 = %none, %s01 = %none, %s02 = %none, %s03 = %none, %s10 = %none, %s11 = %none, %s12 = %none, %s13 = %none, %s20 = %none, %s21 = %none, %s22 = %none, %s23 = %none, %s30 = %none, %s31 = %none, %s32 = %none, %s33 = %none)
      -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) : i32 {
    %kx = arith.addi %k, %x : i32
    %ky = arith.addi %k, %y : i32
    %start_b = arith.muli %ky, %n : i32
    %ia0 = arith.addi %start_a0, %kx : i32
    %va0 = cube.load %a[%ia0] : !cube.array<f32> -> f32
    cube.store %va0, %ta[%own_a0] : f32, !cube.shared<1088 x f32>
    %ia1 = arith.addi %start_a1, %kx : i32
    %va1 = cube.load %a[%ia1] : !cube.array<f32> -> f32
    cube.store %va1, %ta[%own_a1] : f32, !cube.shared<1088 x f32>
    %ia2 = arith.addi %start_a2, %kx : i32
    %va2 = cube.load %a[%ia2] : !cube.array<f32> -> f32
    cube.store %va2, %ta[%own_a2] : f32, !cube.shared<1088 x f32>
    %ia3 = arith.addi %start_a3, %kx : i32
    %va3 = cube.load %a[%ia3] : !cube.array<f32> -> f32
    cube.store %va3, %ta[%own_a3] : f32, !cube.shared<1088 x f32>
    %ib0 = arith.addi %start_b, %col0 : i32
    %vb0 = cube.load %b[%ib0] : !cube.array<f32> -> f32
    cube.store %vb0, %tb[%own_b0] : f32, !cube.shared<1024 x f32>
    %ib1 = arith.addi %start_b, %col1 : i32
    %vb1 = cube.load %b[%ib1] : !cube.array<f32> -> f32
    cube.store %vb1, %tb[%own_b1] : f32, !cube.shared<1024 x f32>
    %ib2 = arith.addi %start_b, %col2 : i32
    %vb2 = cube.load %b[%ib2] : !cube.array<f32> -> f32
    cube.store %vb2, %tb[%own_b2] : f32, !cube.shared<1024 x f32>
    %ib3 = arith.addi %start_b, %col3 : i32
    %vb3 = cube.load %b[%ib3] : !cube.array<f32> -> f32
    cube.store %vb3, %tb[%own_b3] : f32, !cube.shared<1024 x f32>
    cube.sync cube
    %part:16 = scf.for unsigned %j = %zero to %depth step %one iter_args(
        %p00 = %s00, %p01 = %s01, %p02 = %s02, %p03 = %s03, %p10 = %s10, %p11 = %s11, %p12 = %s12, %p13 = %s13, %p20 = %s20, %p21 = %s21, %p22 = %s22, %p23 = %s23, %p30 = %s30, %p31 = %s31, %p32 = %s32, %p33 = %s33)
        -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) : i32 {
      %ja0 = arith.addi %line0, %j : i32
      %wa0 = cube.load %ta[%ja0] : !cube.shared<1088 x f32> -> f32
      %ja1 = arith.addi %line1, %j : i32
      %wa1 = cube.load %ta[%ja1] : !cube.shared<1088 x f32> -> f32
      %ja2 = arith.addi %line2, %j : i32
      %wa2 = cube.load %ta[%ja2] : !cube.shared<1088 x f32> -> f32
      %ja3 = arith.addi %line3, %j : i32
      %wa3 = cube.load %ta[%ja3] : !cube.shared<1088 x f32> -> f32
      %jl = arith.muli %j, %side : i32
      %jb0 = arith.addi %jl, %bx0 : i32
      %wb0 = cube.load %tb[%jb0] : !cube.shared<1024 x f32> -> f32
      %jb1 = arith.addi %jl, %bx1 : i32
      %wb1 = cube.load %tb[%jb1] : !cube.shared<1024 x f32> -> f32
      %jb2 = arith.addi %jl, %bx2 : i32
      %wb2 = cube.load %tb[%jb2] : !cube.shared<1024 x f32> -> f32
      %jb3 = arith.addi %jl, %bx3 : i32
      %wb3 = cube.load %tb[%jb3] : !cube.shared<1024 x f32> -> f32
      %n00 = math.fma %wa0, %wb0, %p00 : f32
      %n01 = math.fma %wa0, %wb1, %p01 : f32
      %n02 = math.fma %wa0, %wb2, %p02 : f32
      %n03 = math.fma %wa0, %wb3, %p03 : f32
      %n10 = math.fma %wa1, %wb0, %p10 : f32
      %n11 = math.fma %wa1, %wb1, %p11 : f32
      %n12 = math.fma %wa1, %wb2, %p12 : f32
      %n13 = math.fma %wa1, %wb3, %p13 : f32
      %n20 = math.fma %wa2, %wb0, %p20 : f32
      %n21 = math.fma %wa2, %wb1, %p21 : f32
      %n22 = math.fma %wa2, %wb2, %p22 : f32
      %n23 = math.fma %wa2, %wb3, %p23 : f32
      %n30 = math.fma %wa3, %wb0, %p30 : f32
      %n31 = math.fma %wa3, %wb1, %p31 : f32
      %n32 = math.fma %wa3, %wb2, %p32 : f32
      %n33 = math.fma %wa3, %wb3, %p33 : f32
      scf.yield %n00, %n01, %n02, %n03, %n10, %n11, %n12, %n13, %n20, %n21, %n22, %n23, %n30, %n31, %n32, %n33
        : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
    }
    cube.sync cube
    scf.yield %part#0, %part#1, %part#2, %part#3, %part#4, %part#5, %part#6, %part#7, %part#8, %part#9, %part#10, %part#11, %part#12, %part#13, %part#14, %part#15
      : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  }
  %row0 = arith.addi %first_row, %r0 : i32
  %start0 = arith.muli %row0, %n : i32
  %at00 = arith.addi %start0, %col0 : i32
  cube.store %sums#0, %c[%at00] : f32, !cube.array<f32>
  %at01 = arith.addi %start0, %col1 : i32
  cube.store %sums#1, %c[%at01] : f32, !cube.array<f32>
  %at02 = arith.addi %start0, %col2 : i32
  cube.store %sums#2, %c[%at02] : f32, !cube.array<f32>
  %at03 = arith.addi %start0, %col3 : i32
  cube.store %sums#3, %c[%at03] : f32, !cube.array<f32>
  %row1 = arith.addi %first_row, %r1 : i32
  %start1 = arith.muli %row1, %n : i32
  %at10 = arith.addi %start1, %col0 : i32
  cube.store %sums#4, %c[%at10] : f32, !cube.array<f32>
  %at11 = arith.addi %start1, %col1 : i32
  cube.store %sums#5, %c[%at11] : f32, !cube.array<f32>
  %at12 = arith.addi %start1, %col2 : i32
  cube.store %sums#6, %c[%at12] : f32, !cube.array<f32>
  %at13 = arith.addi %start1, %col3 : i32
  cube.store %sums#7, %c[%at13] : f32, !cube.array<f32>
  %row2 = arith.addi %first_row, %r2 : i32
  %start2 = arith.muli %row2, %n : i32
  %at20 = arith.addi %start2, %col0 : i32
  cube.store %sums#8, %c[%at20] : f32, !cube.array<f32>
  %at21 = arith.addi %start2, %col1 : i32
  cube.store %sums#9, %c[%at21] : f32, !cube.array<f32>
  %at22 = arith.addi %start2, %col2 : i32
  cube.store %sums#10, %c[%at22] : f32, !cube.array<f32>
  %at23 = arith.addi %start2, %col3 : i32
  cube.store %sums#11, %c[%at23] : f32, !cube.array<f32>
  %row3 = arith.addi %first_row, %r3 : i32
  %start3 = arith.muli %row3, %n : i32
  %at30 = arith.addi %start3, %col0 : i32
  cube.store %sums#12, %c[%at30] : f32, !cube.array<f32>
  %at31 = arith.addi %start3, %col1 : i32
  cube.store %sums#13, %c[%at31] : f32, !cube.array<f32>
  %at32 = arith.addi %start3, %col2 : i32
  cube.store %sums#14, %c[%at32] : f32, !cube.array<f32>
  %at33 = arith.addi %start3, %col3 : i32
  cube.store %sums#15, %c[%at33] : f32, !cube.array<f32>
  cube.return
}
