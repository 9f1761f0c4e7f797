// A kernel returns nothing; a function returns its values.
cube.func @both(%a: i32, %b: i32) -> (i32, i32) {
  cube.return %b, %a : i32, i32
}

cube.kernel @nothing() cube_dim(1) {
  cube.return
}
