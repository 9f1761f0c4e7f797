// The element type is a parameter: f32 by default, i32 with `specialize{params=T=i32}`, lines of four floats with
// `specialize{params=T=vector<4xf32>}`.
cube.kernel @doubled comptime(@T : type = f32) (%x: !cube.array<!cube.param<@T>>, %y: !cube.array<!cube.param<@T>>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<!cube.param<@T>> -> !cube.param<@T>
  %two = arith.constant 2.0 : !cube.param<@T>
  %d = cube.generic float "arith.mulf" int "arith.muli"(%v, %two) : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  cube.store %d, %y[%i] : !cube.param<@T>, !cube.array<!cube.param<@T>>
  cube.return
}
