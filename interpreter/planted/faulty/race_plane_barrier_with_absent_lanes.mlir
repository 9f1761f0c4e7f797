// A plane barrier does not order accesses of lanes that do not reach it.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @race_plane_barrier_with_absent_lanes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %odd = arith.andi %u, %one : i32
  %is = arith.cmpi eq, %odd, %one : i32
  cube.store %i, %tile[%u] : i32, !cube.shared<64 x i32>
  cube.if %is {
    cube.sync plane
    %o = arith.xori %u, %one : i32
    %w = cube.load %tile[%o] : !cube.shared<64 x i32> -> i32 // FINDS races
    cube.store %w, %y[%i] : i32, !cube.array<i32>
  }
  cube.return
}
