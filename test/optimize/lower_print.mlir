// RUN: cube-opt %s --lower-print | FileCheck %s

// A record is the number of the print and its values in words; small floats are widened, 64-bit values are two words.
// CHECK-LABEL: cube.kernel @prints(%x: !cube.array<f32>, %v: bf16, %w: i64, %prints: !cube.array<i32> {cube.access = "prints", cube.noalias})
// CHECK-SAME: cube.prints = ["f32x1,i64x1|{} of {}", "i32x2|pair {}", "|here"]
// CHECK: %[[WIDE:.*]] = cube.cast %v : bf16 to f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[WIDE]] : f32 to i32
// CHECK: %[[LOW:.*]] = arith.trunci %w : i64 to i32
// CHECK: %[[HIGH:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[AT:.*]] = cube.atomic_rmw addi %{{.*}}, %prints[%{{.*}}] inbounds : i32, !cube.array<i32>
// CHECK: %[[LENGTH:.*]] = cube.buffer_len %prints : !cube.array<i32>
// CHECK: %[[ROOM:.*]] = cube.subui_sat %[[LENGTH]], %{{.*}} : i32
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[AT]], %[[ROOM]] : i32
// CHECK: scf.if %[[FITS]] {
// CHECK:   cube.store %{{.*}}, %prints[%{{.*}}] inbounds
// CHECK:   cube.store %[[BITS]], %prints[%{{.*}}] inbounds
// CHECK:   cube.store %[[LOW]], %prints[%{{.*}}] inbounds
// CHECK:   cube.store %[[HIGH]], %prints[%{{.*}}] inbounds
// CHECK: }
// CHECK-NOT: cube.print "
cube.kernel @prints(%x: !cube.array<f32>, %v: bf16, %w: i64) cube_dim(64) {
  %i = cube.topology absolute_pos
  cube.print "{} of {}"(%v, %w) : bf16, i64
  %pair = vector.from_elements %i, %i : vector<2xi32>
  cube.print "pair {}"(%pair) : vector<2xi32>
  cube.print "here"
  cube.return
}

// CHECK-LABEL: cube.kernel @silent(%x: !cube.array<f32>) cube_dim(64) {
cube.kernel @silent(%x: !cube.array<f32>) cube_dim(64) { cube.return }
