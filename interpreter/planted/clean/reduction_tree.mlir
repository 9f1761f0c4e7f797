// A reduction tree in shared memory with a barrier between its levels.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @reduction_tree(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %tile[%u] : i32, !cube.shared<64 x i32>
  %six = arith.constant 6 : i32
  %half = arith.constant 32 : i32
  cube.for %k = %zero to %six step %one : i32 {
    cube.sync cube
    %width = cube.shrui %half, %k : i32
    %low = arith.cmpi ult, %u, %width : i32
    cube.if %low {
      %o = arith.addi %u, %width : i32
      %a = cube.load %tile[%u] : !cube.shared<64 x i32> -> i32
      %b = cube.load %tile[%o] : !cube.shared<64 x i32> -> i32
      %s = arith.addi %a, %b : i32
      cube.store %s, %tile[%u] : i32, !cube.shared<64 x i32>
    }
  }
  cube.sync cube
  %r = cube.load %tile[%zero] : !cube.shared<64 x i32> -> i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}
