// A function that ends the unit if the unit has no work.
cube.func @only_below(%i: i32, %n: i32) {
  %outside = arith.cmpi uge, %i, %n : i32
  cube.if %outside {
    cube.terminate
  }
  cube.return
}
cube.kernel @uses_terminate(%x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<f32>
  cube.call @only_below(%i, %n) : (i32, i32) -> ()
  %one = arith.constant 1.0 : f32
  cube.store %one, %x[%i] : f32, !cube.array<f32>
  cube.return
}
