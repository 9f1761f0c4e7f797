// RUN: cube-opt %s --split-input-file --pass-pipeline='builtin.module(attach-target{target=amdgpu:gfx950},cube.kernel(narrow-floats-to-rocdl))' | FileCheck %s

// An instruction converts two numbers. The second pair is written to the upper half of the same register.
// CHECK-LABEL: cube.kernel @narrow
// CHECK: %[[OLD:.*]] = llvm.mlir.poison : i32
// CHECK: %[[LOW:.*]] = rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %[[OLD]][false] : i32
// CHECK: %[[ALL:.*]] = rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %[[LOW]][true] : i32
// CHECK: arith.trunci %[[ALL]] : i32 to i8
// CHECK: arith.shrui %[[ALL]]
// CHECK: vector.from_elements {{.*}} : vector<4xi8>
// CHECK-NOT: arith.truncf
cube.kernel @narrow(%x: memref<?xf32>, %r: memref<?xi8>) cube_dim(64) {
  %i = arith.constant 0 : index
  %v = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
  %n = arith.truncf %v : vector<4xf32> to vector<4xf8E4M3FN>
  %b = arith.bitcast %n : vector<4xf8E4M3FN> to vector<4xi8>
  vector.store %b, %r[%i] : memref<?xi8>, vector<4xi8>
  cube.return
}

// -----

// A single number is in the lowest byte; the second operand of the conversion is 0.
// CHECK-LABEL: cube.kernel @one
// CHECK: %[[BYTE:.*]] = memref.load
// CHECK: %[[WORD:.*]] = arith.extui {{.*}} : i8 to i32
// CHECK: %[[X:.*]] = rocdl.cvt.f32.bf8 %[[WORD]][0] : f32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: rocdl.cvt.pk.bf8.f32 %[[X]], %[[ZERO]] -> %{{.*}}[false] : i32
cube.kernel @one(%x: memref<?xi8>) cube_dim(64) {
  %i = arith.constant 0 : index
  %b = memref.load %x[%i] : memref<?xi8>
  %n = arith.bitcast %b : i8 to f8E5M2
  %w = arith.extf %n : f8E5M2 to f32
  %m = arith.truncf %w : f32 to f8E5M2
  %c = arith.bitcast %m : f8E5M2 to i8
  memref.store %c, %x[%i] : memref<?xi8>
  cube.return
}

// -----

// Numbers are converted in pairs, from the lower half of a register.
// CHECK-LABEL: cube.kernel @pair
// CHECK: %[[BOTH:.*]] = arith.ori
// CHECK: rocdl.cvt.pk.f32.fp8 %[[BOTH]][false] : vector<2xf32>
// CHECK-NOT: arith.extf
cube.kernel @pair(%x: memref<?xi8>, %r: memref<?xf32>) cube_dim(64) {
  %i = arith.constant 0 : index
  %b = vector.load %x[%i] : memref<?xi8>, vector<2xi8>
  %n = arith.bitcast %b : vector<2xi8> to vector<2xf8E4M3FN>
  %w = arith.extf %n : vector<2xf8E4M3FN> to vector<2xf32>
  vector.store %w, %r[%i] : memref<?xf32>, vector<2xf32>
  cube.return
}

// -----

// MLIR folds two conversions into one, which the pass splits again at f32, because f32 represents all f16 and bf16
// values. An integer that f32 rounds is outside of the range of every 8-bit float.
// CHECK-LABEL: cube.kernel @folded
// CHECK: %[[A:.*]] = arith.extf %x : f16 to f32
// CHECK: rocdl.cvt.pk.fp8.f32 %[[A]],
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
// CHECK: rocdl.cvt.pk.bf8.f32
// CHECK: %[[C:.*]] = arith.sitofp %z : i64 to f32
// CHECK: rocdl.cvt.pk.bf8.f32 %[[C]],
// CHECK: %[[D:.*]] = arith.uitofp %w : i8 to f32
// CHECK: rocdl.cvt.pk.fp8.f32 %[[D]],
// CHECK: %[[E:.*]] = rocdl.cvt.f32.fp8
// CHECK: arith.truncf %[[E]] : f32 to f16
// CHECK: %[[F:.*]] = rocdl.cvt.f32.fp8
// CHECK: arith.extf %[[F]] : f32 to f64
cube.kernel @folded(%x: f16, %p: memref<?xbf16>, %z: i64, %w: i8, %r: memref<?xi8>, %h: memref<?xf16>, %d: memref<?xf64>) cube_dim(64) {
  %i = arith.constant 0 : index
  %y = vector.load %p[%i] : memref<?xbf16>, vector<2xbf16>
  %a = arith.truncf %x : f16 to f8E4M3FN
  %b = arith.truncf %y : vector<2xbf16> to vector<2xf8E5M2>
  %c = arith.sitofp %z : i64 to f8E5M2
  %e = arith.uitofp %w : i8 to f8E4M3FN
  %ab = arith.bitcast %a : f8E4M3FN to i8
  %bb = arith.bitcast %b : vector<2xf8E5M2> to vector<2xi8>
  %cb = arith.bitcast %c : f8E5M2 to i8
  %eb = arith.bitcast %e : f8E4M3FN to i8
  memref.store %ab, %r[%i] : memref<?xi8>
  vector.store %bb, %r[%i] : memref<?xi8>, vector<2xi8>
  memref.store %cb, %r[%i] : memref<?xi8>
  memref.store %eb, %r[%i] : memref<?xi8>
  %n = arith.bitcast %w : i8 to f8E4M3FN
  %f = arith.extf %n : f8E4M3FN to f16
  %g = arith.extf %n : f8E4M3FN to f64
  memref.store %f, %h[%i] : memref<?xf16>
  memref.store %g, %d[%i] : memref<?xf64>
  cube.return
}
