// RUN: cube-opt %s --emit-unit-loops --verify-diagnostics --split-input-file

// expected-error@+1 CUBE0332 {ty = "!cube.array<f32>", level = "mixed", word = "!cube"}
cube.kernel @buffers(%x: !cube.array<f32>) { cube.return }

// -----

cube.kernel @total(%x: i32) {
  // expected-error@+1 CUBE0331 {op = "cube.divui", level = "mixed", meaning = "a kernel of level legal, with loops over the units of a cube"}
  %v = cube.divui %x, %x : i32
  cube.return
}
