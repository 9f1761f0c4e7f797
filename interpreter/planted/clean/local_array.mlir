// Four iterations write the four elements of a local array.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @local_array(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %cells = cube.alloc : !cube.local<4 x i32>
  %four = arith.constant 4 : i32
  cube.for %k = %zero to %four step %one : i32 {
    cube.store %k, %cells[%k] : i32, !cube.local<4 x i32>
  }
  %v = cube.load %cells[%two] : !cube.local<4 x i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
