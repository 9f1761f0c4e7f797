// Barriers, planes, atomics, small floats.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %half = arith.constant 0.5 : f32
  %tile = cube.alloc : !cube.shared<40 x f32>
  %mine = cube.alloc : !cube.local<8 x i32>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %lanes = cube.topology plane_dim
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.load %k[%i] : !cube.array<i32> -> i32
  %slot = arith.andi %w, %seven : i32
  cube.store %w, %mine[%slot] : i32, !cube.local<8 x i32>
  cube.store %v, %tile[%u] : f32, !cube.shared<40 x f32>
  cube.sync cube
  %o = arith.xori %u, %one : i32
  %z = cube.load %tile[%o] : !cube.shared<40 x f32> -> f32
  %kept = cube.load %mine[%slot] : !cube.local<8 x i32> -> i32
  %count = cube.plane_reduce addi %kept : i32
  %scan = cube.plane_scan inclusive addi %w : i32
  %top = cube.plane_reduce maxf %z : f32
  %hv = cube.load %h[%i] : !cube.array<f16> -> f16
  %h2 = arith.mulf %hv, %hv : f16
  %h3 = arith.subf %h2, %hv : f16
  %bv = cube.load %b[%i] : !cube.array<bf16> -> bf16
  %b2 = arith.mulf %bv, %bv : bf16
  %hw = arith.extf %h3 : f16 to f32
  %bw = arith.extf %b2 : bf16 to f32
  %both = arith.subf %hw, %bw : f32
  %old = cube.atomic_rmw addi %w, %r[%seven] : i32, !cube.array<i32>
  %fold = cube.atomic_rmw maxf %both, %y[%seven] : f32, !cube.array<f32>
  %sum = arith.addi %count, %scan : i32
  %res = arith.muli %sum, %lanes : i32
  %place = arith.addi %i, %a : i32
  %place2 = arith.addi %place, %n : i32
  %f = arith.subf %top, %both : f32
  cube.store %res, %r[%place2] : i32, !cube.array<i32>
  cube.store %f, %y[%place2] : f32, !cube.array<f32>
  cube.return
}
