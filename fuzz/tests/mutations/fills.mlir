// A loop overwrites all zeros of a local array before any of them is read.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %i = cube.topology absolute_pos
  %cells = cube.alloc : !cube.local<5 x i32>
  scf.for unsigned %c = %zero to %five step %one : i32 {
    cube.store %zero, %cells[%c] inbounds : i32, !cube.local<5 x i32>
  }
  scf.for unsigned %c = %zero to %five step %one : i32 {
    %at = arith.addi %i, %c : i32
    %v = cube.load %k[%at] : !cube.array<i32> -> i32
    cube.store %v, %cells[%c] : i32, !cube.local<5 x i32>
  }
  %place = cube.remui %i, %five : i32
  %w = cube.load %cells[%place] : !cube.local<5 x i32> -> i32
  %sum = arith.addi %w, %a : i32
  cube.store %sum, %r[%i] : i32, !cube.array<i32>
  cube.return
}
