// Redundant loads, a load after a store to the same address, an overwritten store, and memory that is never read.
// One barrier separates no accesses of different units; another separates a store from loads by other units.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %line = cube.alloc : !cube.shared<40 x i32>
  %unit = cube.topology unit_pos
  %most = arith.constant 39 : i32
  %mirror = arith.subi %most, %unit : i32
  %three = arith.constant 3 : i32
  %i = cube.topology absolute_pos
  %cells = cube.alloc : !cube.local<8 x i32>
  %waste = cube.alloc : !cube.local<8 x i32>
  %seven = arith.constant 7 : i32
  %at = arith.andi %i, %seven : i32
  %v = cube.load %k[%i] : !cube.array<i32> -> i32
  cube.store %a, %cells[%at] : i32, !cube.local<8 x i32>
  cube.store %v, %cells[%at] : i32, !cube.local<8 x i32>
  cube.store %v, %waste[%at] : i32, !cube.local<8 x i32>
  %w = cube.load %k[%i] : !cube.array<i32> -> i32
  %u = cube.load %cells[%at] : !cube.local<8 x i32> -> i32
  %m = arith.muli %w, %three : i32
  %sum = arith.addi %m, %u : i32
  cube.store %sum, %line[%unit] : i32, !cube.shared<40 x i32>
  cube.sync cube
  %own = cube.load %line[%unit] : !cube.shared<40 x i32> -> i32
  cube.sync cube
  %other = cube.load %line[%mirror] : !cube.shared<40 x i32> -> i32
  %both = arith.subi %own, %other : i32
  %less = arith.cmpi slt, %own, %other : i32
  %chosen = scf.if %less -> (i32) {
    %more = arith.addi %both, %a : i32
    scf.yield %more : i32
  } else {
    %apart = arith.xori %both, %n : i32
    scf.yield %apart : i32
  }
  cube.store %chosen, %r[%i] : i32, !cube.array<i32>
  cube.return
}
