// Three shared arrays in the phases between barriers. The first and the last array can have the same bytes.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %first = cube.alloc : !cube.shared<40 x i32>
  %second = cube.alloc : !cube.shared<40 x f32>
  %third = cube.alloc : !cube.shared<40 x i32>
  %unit = cube.topology unit_pos
  %most = arith.constant 39 : i32
  %mirror = arith.subi %most, %unit : i32
  %i = cube.topology absolute_pos
  %v = cube.load %k[%i] : !cube.array<i32> -> i32
  cube.store %v, %first[%unit] : i32, !cube.shared<40 x i32>
  cube.sync cube
  %w = cube.load %first[%mirror] : !cube.shared<40 x i32> -> i32
  %f = arith.sitofp %w : i32 to f32
  cube.store %f, %second[%unit] : f32, !cube.shared<40 x f32>
  cube.sync cube
  %g = cube.load %second[%mirror] : !cube.shared<40 x f32> -> f32
  %m = arith.fptosi %g : f32 to i32
  %sum = arith.addi %m, %n : i32
  cube.store %sum, %third[%unit] : i32, !cube.shared<40 x i32>
  cube.sync cube
  %other = cube.load %third[%mirror] : !cube.shared<40 x i32> -> i32
  %both = arith.addi %other, %a : i32
  cube.store %both, %r[%i] : i32, !cube.array<i32>
  cube.return
}
