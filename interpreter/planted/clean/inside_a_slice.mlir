// A slice of a slice is read in bounds.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @inside_a_slice(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  %ten = arith.constant 66 : i32
  %all = cube.slice %x[%zero to %n] : !cube.array<i32> -> !cube.slice<i32>
  %part = cube.slice %all[%zero to %ten] : !cube.slice<i32> -> !cube.slice<i32>
  %v = cube.load %part[%u] : !cube.slice<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}
