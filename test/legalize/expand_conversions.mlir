// RUN: cube-opt %s --expand-conversions --canonicalize | FileCheck %s

// NaN and values outside of the range are replaced before the conversion and get their results from selects.
// CHECK-LABEL: @to_int
// CHECK-DAG: %[[LOW:.*]] = arith.cmpf ole, %x, %cst{{.*}} : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpf oge, %x, %cst{{.*}} : f32
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno, %x, %x
// CHECK: %[[SAFE:.*]] = arith.select
// CHECK: %[[I:.*]] = arith.fptosi %[[SAFE]] : f32 to i32
// CHECK: %[[J:.*]] = arith.select %[[LOW]], %c-2147483648_i32, %[[I]]
// CHECK: arith.select %[[HIGH]], %c2147483647_i32, %[[J]]
cube.kernel @to_int(%x: f32, %out: !cube.array<i32>, %i: i32) {
  %v = cube.cast %x : f32 to i32
  cube.store %v, %out[%i] : i32, !cube.array<i32>
  cube.return
}

// CHECK-LABEL: @clamped
// CHECK: %[[A:.*]] = arith.minsi %i, %c255_i32
// CHECK: %[[B:.*]] = arith.maxsi %[[A]], %c0_i32
// CHECK: arith.trunci %[[B]] : i32 to i8
cube.kernel @clamped(%out: !cube.array<i8>, %i: i32) {
  %v = cube.cast %i to_unsigned saturate : i32 to i8
  cube.store %v, %out[%i] : i8, !cube.array<i8>
  cube.return
}

// The operand of an extension is converted. Its sign is that of the extension, so a zero-extended byte is unsigned.
// CHECK-LABEL: @extended
// CHECK: arith.uitofp %b : i8 to f32
// CHECK: arith.sitofp %b : i8 to f32
// CHECK-NOT: arith.minsi
// CHECK: arith.minui %b, %c127{{.*}} : i8
cube.kernel @extended(%x: !cube.array<f32>, %y: !cube.array<i8>, %b: i8, %i: i32) {
  %u = arith.extui %b : i8 to i32
  %s = arith.extsi %b : i8 to i32
  %f = cube.cast %u : i32 to f32
  %g = cube.cast %s : i32 to f32
  %h = arith.addf %f, %g : f32
  cube.store %h, %x[%i] : f32, !cube.array<f32>
  %c = cube.cast %u saturate : i32 to i8
  cube.store %c, %y[%i] : i8, !cube.array<i8>
  cube.return
}

// CHECK-LABEL: @bool
// CHECK: arith.cmpf une, %x, %cst
// CHECK: arith.extui %{{.*}} : i1 to i32
cube.kernel @bool(%x: f32, %out: !cube.array<i32>, %i: i32) {
  %b = cube.cast %x : f32 to i1
  %v = cube.cast %b : i1 to i32
  cube.store %v, %out[%i] : i32, !cube.array<i32>
  cube.return
}

// Storage types become bytes, also in buffers.
// CHECK-LABEL: cube.kernel @fp8(%x: !cube.array<i8
// CHECK-SAME: %out: !cube.array<f32>
// CHECK: cube.load %x[%i] : !cube.array<i8> -> i8
// CHECK: cube.store %{{.*}}, %x[%i] : i8, !cube.array<i8>
cube.kernel @fp8(%x: !cube.array<f8E4M3FN>, %out: !cube.array<f32>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<f8E4M3FN> -> f8E4M3FN
  %w = cube.cast %v : f8E4M3FN to f32
  cube.store %w, %out[%i] : f32, !cube.array<f32>
  %one = arith.constant 1.5 : f8E4M3FN
  cube.store %one, %x[%i] : f8E4M3FN, !cube.array<f8E4M3FN>
  cube.return
}

// A load ignores the lowest 13 bits of a tf32 in memory; a conversion to tf32 sets them to zero.
// CHECK-LABEL: @tf32
// CHECK: %[[V:.*]] = cube.load %x[%i] : !cube.array<f32> -> f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[V]] : f32 to i32
// CHECK: %[[KEPT:.*]] = arith.andi %[[BITS]], %c-8192_i32 : i32
// CHECK: %[[F:.*]] = arith.bitcast %[[KEPT]] : i32 to f32
// CHECK: cube.store %[[F]], %y[%i]
// CHECK: arith.andi %{{.*}}, %c-8192_i32 : i32
// CHECK: cube.store %{{.*}}, %x[%i] : f32, !cube.array<f32>
cube.kernel @tf32(%x: !cube.array<tf32>, %y: !cube.array<f32>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<tf32> -> tf32
  %f = cube.cast %v : tf32 to f32
  cube.store %f, %y[%i] : f32, !cube.array<f32>
  %w = cube.load %y[%i] : !cube.array<f32> -> f32
  %t = cube.cast %w : f32 to tf32
  cube.store %t, %x[%i] : tf32, !cube.array<tf32>
  cube.return
}

// A float of fewer than 8 bits is the lower part of a byte. Its bit casts, from and to an integer, become operations on
// the byte.
// CHECK-LABEL: cube.kernel @fp4(%x: !cube.array<i8>, %out: !cube.array<i8>
// CHECK: %[[MASK:.*]] = arith.constant 15 : i8
// CHECK-NOT: i4
// CHECK: %[[V:.*]] = cube.load %x[%i] : !cube.array<i8> -> i8
// CHECK: %[[BITS:.*]] = arith.andi %[[V]], %[[MASK]] : i8
// CHECK: cube.store %[[BITS]], %out[%i] : i8
// CHECK: %[[W:.*]] = cube.load %out[%i] : !cube.array<i8> -> i8
// CHECK: %[[PART:.*]] = arith.andi %[[W]], %[[MASK]] : i8
// CHECK: cube.store %[[PART]], %x[%i] : i8
cube.kernel @fp4(%x: !cube.array<f4E2M1FN>, %out: !cube.array<i8>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<f4E2M1FN> -> f4E2M1FN
  %b = arith.bitcast %v : f4E2M1FN to i4
  %c = arith.extui %b : i4 to i8
  cube.store %c, %out[%i] : i8, !cube.array<i8>
  %w = cube.load %out[%i] : !cube.array<i8> -> i8
  %d = arith.trunci %w : i8 to i4
  %e = arith.bitcast %d : i4 to f4E2M1FN
  cube.store %e, %x[%i] : f4E2M1FN, !cube.array<f4E2M1FN>
  cube.return
}

// A scale factor is the exponent field of an f32.
// CHECK-LABEL: cube.kernel @scale(%x: !cube.array<i8>, %out: !cube.array<f32>
// CHECK: %[[CODE:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: arith.shli %[[CODE]], %c23_i32 : i32
// CHECK: arith.select
// CHECK: arith.select
// CHECK: cube.store %{{.*}}, %out[%i] : f32
cube.kernel @scale(%x: !cube.array<f8E8M0FNU>, %out: !cube.array<f32>, %i: i32) {
  %v = cube.load %x[%i] : !cube.array<f8E8M0FNU> -> f8E8M0FNU
  %w = cube.cast %v : f8E8M0FNU to f32
  cube.store %w, %out[%i] : f32, !cube.array<f32>
  cube.return
}
