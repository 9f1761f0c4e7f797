// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(egraph))' --cube-remarks=passed 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t

// Rules of a program: one that is assumed, which the remark says, and one with the hash of its proof.
module attributes {cube.rules = [
  "types float",
  "assume halves: (addf (mulf x 0.5) (mulf x 0.5)) => x with reassoc",
  "types int",
  "min: (minui (xori x MAX) (xori y MAX)) => (xori (maxui x y) MAX) proof e450817bc9d9bb61"]} {

// SAID: by user/halves (assumed) (1)
// CHECK-LABEL: cube.kernel @assumed(
// CHECK-NOT:     arith.mulf
// CHECK:         cube.store %a
cube.kernel @assumed(%x: !cube.array<f32>, %a: f32, %i: i32) cube_dim(64) {
  %half = arith.constant 0.5 : f32
  %m = arith.mulf %a, %half fastmath<reassoc> : f32
  %n = arith.mulf %a, %half fastmath<reassoc> : f32
  %s = arith.addf %m, %n fastmath<reassoc> : f32
  cube.store %s, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// SAID: by user/min
// CHECK-LABEL: cube.kernel @proven(
// CHECK:         arith.maxui %a, %b
// CHECK-NOT:     arith.minui
cube.kernel @proven(%x: !cube.array<i32>, %a: i32, %b: i32) cube_dim(64) {
  %ones = arith.constant -1 : i32
  %na = arith.xori %a, %ones : i32
  %nb = arith.xori %b, %ones : i32
  %least = arith.minui %na, %nb : i32
  cube.store %least, %x[%a] : i32, !cube.array<i32>
  cube.return
}

}
