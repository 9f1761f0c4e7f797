// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(loop-cubes))' --verify-diagnostics --split-input-file

cube.kernel @written(%n: !cube.array<i32> {cube.cubes}) cube_dim(4) {
  %c0 = arith.constant 0 : i32
  // expected-error@+1 CUBE0366.written {op = "cube.store"}
  cube.store %c0, %n[%c0] : i32, !cube.array<i32>
  cube.return
}

// -----

cube.kernel @exits(%n: !cube.array<i32> {cube.cubes}) cube_dim(4) {
  %u = cube.topology unit_pos
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %u, %c0 : i32
  cube.if %first {
    // expected-error@+1 CUBE0366.exit {op = "cube.return"}
    cube.return
  }
  cube.return
}

// -----

// expected-error@+1 CUBE0128.cubes {op = "cube.kernel", index = "0", ty = "!cube.array<f32>"}
cube.kernel @floats(%n: !cube.array<f32> {cube.cubes}) cube_dim(4) {
  cube.return
}

// -----

// expected-error@+1 CUBE0128.twice {op = "cube.kernel", index = "1"}
cube.kernel @twice(%n: !cube.array<i32> {cube.cubes}, %m: !cube.array<i32> {cube.cubes}) cube_dim(4) {
  cube.return
}
