// RUN: cube-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(cube.kernel(egraph))'

// A user rule must have a proof or be marked `assume`.
// expected-error@+1 CUBE0323.rule {why = "rule user/zero has no proof, and is not marked 'assume'"}
module attributes {cube.rules = ["types float", "zero: (addf x 0.0) => x"]} {
cube.kernel @k(%x: !cube.array<f32>) cube_dim(64) {
  cube.return
}
}

// -----

// expected-error@+1 CUBE0323.rule {why = "line 1: unknown types 'number'"}
module attributes {cube.rules = ["types number"]} {
cube.kernel @k(%x: !cube.array<f32>) cube_dim(64) {
  cube.return
}
}

// -----

// expected-error@+1 CUBE0323.lines
module attributes {cube.rules = [1, 2]} {
cube.kernel @k(%x: !cube.array<f32>) cube_dim(64) {
  cube.return
}
}
