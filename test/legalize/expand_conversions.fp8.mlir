// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx950},cube.kernel(expand-conversions))' | FileCheck %s --check-prefixes=ALL,NATIVE
// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx942},cube.kernel(expand-conversions))' | FileCheck %s --check-prefixes=ALL,BITS

// A chip with the conversion keeps one operation between bitcasts. The float format of gfx942 is not an element type.
// ALL-LABEL: @narrow(%x: f32, %r: !cube.array<i8>)
// NATIVE: %[[F8:.*]] = arith.truncf %x : f32 to f8E4M3FN
// NATIVE-NEXT: arith.bitcast %[[F8]] : f8E4M3FN to i8
// NATIVE-NOT: arith.select
// BITS-NOT: arith.truncf
// BITS: arith.select
// ALL: cube.return
cube.kernel @narrow(%x: f32, %r: !cube.array<f8E4M3FN>) {
  %zero = arith.constant 0 : i32
  %h = cube.cast %x : f32 to f8E4M3FN
  cube.store %h, %r[%zero] : f8E4M3FN, !cube.array<f8E4M3FN>
  cube.return
}

// A saturating conversion first clamps its operand to the largest finite number of the result type.
// ALL-LABEL: @saturated
// NATIVE: arith.constant 5.734400e+04 : f32
// NATIVE-COUNT-2: arith.select
// NATIVE: arith.truncf %{{.*}} : f32 to f8E5M2
// ALL: cube.return
cube.kernel @saturated(%x: f32, %r: !cube.array<f8E5M2>) {
  %zero = arith.constant 0 : i32
  %h = cube.cast %x saturate : f32 to f8E5M2
  cube.store %h, %r[%zero] : f8E5M2, !cube.array<f8E5M2>
  cube.return
}

// The instruction rounds to nearest; other rounding modes are expanded. f64 is first rounded to odd in f32.
// ALL-LABEL: @upward
// ALL-NOT: to f8E4M3FN
// ALL: cube.return
cube.kernel @upward(%x: f32, %r: !cube.array<f8E4M3FN>) {
  %zero = arith.constant 0 : i32
  %h = cube.cast %x round upward : f32 to f8E4M3FN
  cube.store %h, %r[%zero] : f8E4M3FN, !cube.array<f8E4M3FN>
  cube.return
}

// Lines are converted by one vector operation.
// ALL-LABEL: @wide
// NATIVE: %[[BYTES:.*]] = arith.bitcast %{{.*}} : vector<4xi8> to vector<4xf8E5M2>
// NATIVE: arith.extf %[[BYTES]] : vector<4xf8E5M2> to vector<4xf32>
// BITS-NOT: arith.extf
// ALL: cube.return
cube.kernel @wide(%x: !cube.array<f8E5M2, 4>, %r: !cube.array<f32, 4>) {
  %zero = arith.constant 0 : i32
  %v = cube.load %x[%zero] : !cube.array<f8E5M2, 4> -> vector<4xf8E5M2>
  %h = cube.cast %v : vector<4xf8E5M2> to vector<4xf32>
  cube.store %h, %r[%zero] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
