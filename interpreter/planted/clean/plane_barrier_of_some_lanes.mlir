// The active lanes of a branch exchange values through memory, with plane barriers; a nested branch repeats it.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @plane_barrier_of_some_lanes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %tile = cube.alloc : !cube.shared<64 x i32>
  %odd = arith.andi %u, %one : i32
  %is = arith.cmpi eq, %odd, %one : i32
  cube.if %is {
    %o = arith.xori %u, %two : i32
    cube.store %i, %tile[%u] : i32, !cube.shared<64 x i32>
    cube.sync plane
    %w = cube.load %tile[%o] : !cube.shared<64 x i32> -> i32
    cube.sync plane
    cube.store %w, %tile[%u] : i32, !cube.shared<64 x i32>
    cube.sync plane
    %p = arith.xori %u, %four : i32
    %v = cube.load %tile[%p] : !cube.shared<64 x i32> -> i32
    %bit = arith.andi %u, %two : i32
    %more = arith.cmpi ne, %bit, %two : i32
    cube.if %more {
      cube.sync plane
      cube.store %v, %tile[%p] : i32, !cube.shared<64 x i32>
      cube.sync plane
      %z = cube.load %tile[%u] : !cube.shared<64 x i32> -> i32
      cube.store %z, %y[%i] : i32, !cube.array<i32>
    } else {
      cube.store %v, %y[%i] : i32, !cube.array<i32>
    }
  }
  cube.return
}
