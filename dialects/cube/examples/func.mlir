cube.func @square(%x: f32) -> f32 {
  %r = arith.mulf %x, %x : f32
  cube.return %r : f32
}
