// c = a + b with one element for each unit. The unit computes the row and column from its position, as tutorials do.
cube.kernel @add_rows(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>, %w: i32, %h: i32) cube_dim(256) {
  %cube = cube.topology cube_pos_x
  %dim = cube.topology cube_dim_x
  %unit = cube.topology unit_pos_x
  %before = arith.muli %cube, %dim : i32
  %p = arith.addi %before, %unit : i32
  %row = cube.divui %p, %w : i32
  %col = cube.remui %p, %w : i32
  %above = arith.cmpi ult, %row, %h : i32
  %left = arith.cmpi ult, %col, %w : i32
  %inside = arith.andi %above, %left : i1
  scf.if %inside {
    %m = arith.muli %row, %w : i32
    %i = arith.addi %m, %col : i32
    %x = cube.load %a[%i] : !cube.array<f32> -> f32
    %y = cube.load %b[%i] : !cube.array<f32> -> f32
    %s = arith.addf %x, %y : f32
    cube.store %s, %c[%i] : f32, !cube.array<f32>
  }
  cube.return
}
