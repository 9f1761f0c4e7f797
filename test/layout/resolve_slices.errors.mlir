// RUN: cube-opt %s --resolve-slices --split-input-file --verify-diagnostics

cube.kernel @k(%x: !cube.array<f32>, %a: i32, %b: i32, %p: i1) {
  %s = cube.slice %x[%a to %b] : !cube.array<f32> -> !cube.slice<f32>
  %t = cube.slice %x[%b to %a] : !cube.array<f32> -> !cube.slice<f32>
  // expected-error@+1 CUBE0312 {op = "arith.select"}
  %u = arith.select %p, %s, %t : !cube.slice<f32>
  %v = cube.load %u[%a] checked : !cube.slice<f32> -> f32
  cube.return
}
