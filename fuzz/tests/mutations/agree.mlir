// Barriers under a branch and in a loop whose condition and trip count are uniform only for certain launches.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(35) {
  %zero = arith.constant 0 : i32
  %most = arith.constant 34 : i32
  %tile = cube.alloc : !cube.shared<35 x i32>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %d = cube.topology cube_dim
  %len = cube.buffer_len %k : !cube.array<i32>
  %w = cube.load %k[%i] : !cube.array<i32> -> i32
  %other = arith.subi %most, %u : i32
  %inside = arith.cmpi ult, %i, %len : i32
  scf.if %inside {
    cube.store %w, %tile[%u] : i32, !cube.shared<35 x i32>
    cube.sync cube
    %v = cube.load %tile[%other] : !cube.shared<35 x i32> -> i32
    cube.store %v, %r[%i] : i32, !cube.array<i32>
  }
  scf.for %at = %u to %len step %d : i32 {
    %g = cube.load %k[%at] : !cube.array<i32> -> i32
    cube.sync cube
    %v = cube.load %tile[%other] : !cube.shared<35 x i32> -> i32
    cube.sync cube
    %s = arith.subi %v, %g : i32
    cube.store %s, %tile[%u] : i32, !cube.shared<35 x i32>
  }
  %last = cube.load %tile[%u] : !cube.shared<35 x i32> -> i32
  %f = arith.sitofp %last : i32 to f32
  cube.store %f, %y[%i] : f32, !cube.array<f32>
  cube.return
}
