// A row and a column, computed by division by a width that is known only at launch, are combined to an index again.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %i = cube.topology absolute_pos
  %row = cube.divui %i, %n : i32
  %column = cube.remui %i, %n : i32
  %start = arith.muli %row, %n : i32
  %at = arith.addi %start, %column : i32
  %v = cube.load %k[%at] : !cube.array<i32> -> i32
  cube.store %v, %r[%at] : i32, !cube.array<i32>
  cube.return
}
