// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(resolve-layouts))' --verify-diagnostics --split-input-file

cube.kernel @large(%x: !cube.array<i8>, %i: i32) {
  %l = layout.constant #layout.layout<(65536,65537):(65537,1)>
  %v = layout.view %x, %l : !cube.array<i8> -> !layout.view<i8>
  // expected-error@+1 CUBE0337 {op = "layout.load", lines = "4295032832"}
  %e = layout.load %v at <(?,?)>(%i, %i) : !layout.view<i8> -> i8
  cube.return
}

// -----

cube.kernel @many(%x: !cube.array<f32>) {
  %l = layout.constant #layout.layout<2048:1>
  %v = layout.view %x, %l : !cube.array<f32> -> !layout.view<f32>
  // expected-error@+1 CUBE0335.most {op = "layout.load", n = "2048"}
  %e = layout.load %v at <_> : !layout.view<f32> -> vector<2048xf32>
  cube.return
}

// -----

// A layout is the operand of an operation that is not a layout operation.
cube.kernel @kept(%p: i1) {
  // expected-error@+1 CUBE0334.taken {op = "layout.constant"}
  %a = layout.constant #layout.layout<(4,8):(8,1)>
  %c = arith.select %p, %a, %a : !layout.layout
  cube.return
}
