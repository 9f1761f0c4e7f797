// RUN: cube-opt %s --fast-division --cube-stats 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS < %t

// Each divisor gets its numbers once; they are the launch's.
// CHECK-LABEL: cube.kernel @both(
// CHECK-SAME: %n: i32, %x: !cube.array<i32>, %n_mul: i32 {cube.derived = "magic_mul(n)"}, %n_shift_1: i32 {cube.derived = "min(magic_shift(n), 1)"}, %n_shift_2: i32 {cube.derived = "sub(max(magic_shift(n), 1), 1)"})
// CHECK: %[[X:.*]] = cube.topology absolute_pos
// CHECK: %{{.*}}, %[[T:.*]] = arith.mului_extended %[[X]], %n_mul : i32
// CHECK: %[[REST:.*]] = arith.subi %[[X]], %[[T]] : i32
// CHECK: %[[HALF:.*]] = arith.shrui %[[REST]], %n_shift_1 : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[T]], %[[HALF]] : i32
// CHECK: %[[Q:.*]] = arith.shrui %[[SUM]], %n_shift_2 : i32
// CHECK: %[[N1:.*]] = arith.maxui %n, %{{.*}} : i32
// CHECK: %[[QN:.*]] = arith.muli %{{.*}}, %[[N1]] : i32
// CHECK: arith.subi %[[X]], %[[QN]] : i32
// CHECK-NOT: cube.divui
// CHECK-NOT: cube.remui
cube.kernel @both(%n: i32, %x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %q = cube.divui %i, %n : i32
  %r = cube.remui %i, %n : i32
  cube.store %q, %x[%r] : i32, !cube.array<i32>
  cube.return
}

// A shape that the runtime computes; 64 bits; lines, by one divisor.
// CHECK-LABEL: cube.kernel @others(
// CHECK-SAME: %d_mul: i32 {cube.derived = "magic_mul(shape(x, 1))"}
// CHECK-SAME: %w_mul: i64 {cube.derived = "magic_mul64(w)"}
// CHECK: %{{.*}}, %{{.*}} = arith.mului_extended %{{.*}}, %d_mul : i32
// CHECK: %{{.*}}, %{{.*}} = arith.mului_extended %{{.*}}, %w_mul : i64
// CHECK: %[[MULS:.*]] = vector.broadcast %d_mul : i32 to vector<4xi32>
// CHECK: arith.mului_extended %{{.*}}, %[[MULS]] : vector<4xi32>
cube.kernel @others(%x: !cube.tensor<i32>, %w: i64, %v: !cube.array<i32, 4>, %big: !cube.array<i64>, %d: i32 {cube.derived = "shape(x, 1)"}) cube_dim(64) {
  %i = cube.topology absolute_pos
  %q = cube.divui %i, %d : i32
  %b = cube.load %big[%q] : !cube.array<i64> -> i64
  %c = cube.divui %b, %w : i64
  cube.store %c, %big[%i] : i64, !cube.array<i64>
  %line = cube.load %v[%i] : !cube.array<i32, 4> -> vector<4xi32>
  %ds = vector.broadcast %d : i32 to vector<4xi32>
  %quotients = cube.divui %line, %ds : vector<4xi32>
  cube.store %quotients, %v[%i] : vector<4xi32>, !cube.array<i32, 4>
  cube.return
}

// A divisor that the launch does not know stays a division, as do signed and short numbers.
// CHECK-LABEL: cube.kernel @left(%n: i32, %s: i16, %x: !cube.array<i32>) cube_dim(64)
// CHECK: cube.divui
// CHECK: cube.divsi
// CHECK: cube.divui {{.*}} : i16
cube.kernel @left(%n: i32, %s: i16, %x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %q = cube.divui %i, %v : i32
  %r = cube.divsi %q, %n : i32
  %t = arith.trunci %r : i32 to i16
  %u = cube.divui %t, %s : i16
  %w = arith.extui %u : i16 to i32
  cube.store %w, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// A divisor of two dimensions is the number that its lanes are, and gets its shape back.
// CHECK-LABEL: cube.kernel @tile
// CHECK: %[[MUL:.*]] = vector.broadcast %n_mul : i32 to vector<2x4xi32>
// CHECK: arith.mului_extended %{{.*}}, %[[MUL]] : vector<2x4xi32>
// CHECK-NOT: arith.divui
// CHECK: cube.return
cube.kernel @tile(%n: i32, %x: i32) cube_dim(64) {
  %all = vector.broadcast %x : i32 to vector<2x4xi32>
  %by = vector.broadcast %n : i32 to vector<2x4xi32>
  %q = arith.divui %all, %by : vector<2x4xi32>
  %p = vector.extract %q[1, 2] : i32 from vector<2x4xi32>
  cube.return
}

// STATS-DAG: fast-division {{.*}}6 divisions replaced
