// A slice of eight lines that begins at the third line. A read beyond the slice gives 0, although the array continues.
cube.kernel @uses_slice(%x: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %two = arith.constant 2 : i32
  %ten = arith.constant 10 : i32
  %part = cube.slice %x[%two to %ten] : !cube.array<f32> -> !cube.slice<f32>
  %v = cube.load %part[%i] : !cube.slice<f32> -> f32
  cube.store %v, %out[%i] : f32, !cube.array<f32>
  cube.return
}
