// An iteration fills the tile while other units still read the values of the previous iteration.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @race_loop_without_second_barrier(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  cube.for %k = %zero to %two step %one : i32 {
    %v = arith.addi %i, %k : i32
    cube.store %v, %tile[%u] : i32, !cube.shared<64 x i32> // FINDS races
    cube.sync cube
    %o = arith.subi %last, %u : i32
    %w = cube.load %tile[%o] : !cube.shared<64 x i32> -> i32 // FINDS races
    cube.store %w, %y[%i] : i32, !cube.array<i32>
  }
  cube.return
}
