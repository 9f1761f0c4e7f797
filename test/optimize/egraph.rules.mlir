// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(egraph))' --cube-remarks=passed 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t

// User rules: the remark names the assumed rule, and the other rule has the hash of its proof.
module attributes {cube.rules = [
  "types float",
  "assume tangent: (tanh x) => x with afn",
  "assume halves: (addf (mulf x 0.5) (mulf x 0.5)) => x with reassoc",
  "types int",
  "min: (minui (xori x MAX) (xori y MAX)) => (xori (maxui x y) MAX) proof 7d2c7b53fd45b7d8"]} {

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

// A remark names an assumed rule even if many other rules were applied more often.
// SAID: user/tangent (assumed) (1)
// CHECK-LABEL: cube.kernel @among_many(
// CHECK-NOT:     math.tanh
// CHECK:         cube.store %a
cube.kernel @among_many(%x: !cube.array<f32>, %a: f32, %n: i32, %m: i32) cube_dim(64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %ones = arith.constant -1 : i32
  %t = math.tanh %a fastmath<afn> : f32
  %v1 = arith.addi %n, %c0 : i32
  %v2 = arith.muli %v1, %c8 : i32
  %v3 = cube.divui %v2, %c8 : i32
  %v4 = arith.xori %v3, %m : i32
  %v5 = arith.xori %v4, %m : i32
  %v6 = arith.andi %v5, %v5 : i32
  %v7 = arith.muli %v6, %c3 : i32
  %v8 = arith.muli %v6, %c5 : i32
  %v9 = arith.addi %v7, %v8 : i32
  %w1 = arith.minui %v9, %v9 : i32
  %w2 = arith.subi %w1, %c1 : i32
  %w3 = cube.remui %w2, %c8 : i32
  %w4 = arith.cmpi slt, %w3, %m : i32
  %w5 = arith.select %w4, %w3, %m : i32
  %w6 = arith.ori %w5, %w5 : i32
  %w7 = arith.subi %w6, %n : i32
  %w8 = arith.addi %w7, %n : i32
  cube.store %t, %x[%w8] : f32, !cube.array<f32>
  cube.return
}

}
