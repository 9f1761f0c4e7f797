// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(fast-division))' --cube-stats 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS < %t
// RUN: cube-opt %s --fast-division | FileCheck %s --check-prefix=ANY

// The launch computes the magic numbers of each divisor once. A remainder is one more product and one more subtraction.
// The quotient of two u32 needs i64, which some chips do not have.
// ANY-LABEL: cube.kernel @both(
// ANY-NOT: i64
// ANY: cube.divui
// CHECK-LABEL: cube.kernel @both(
// CHECK-SAME: %n: i32, %x: !cube.array<i32>, %n_factor: i32 {cube.derived = "magic_factor(n)"}, %n_addend: i64 {cube.derived = "magic_addend(n)"}, %n_shift: i32 {cube.derived = "magic_log(n)"}, %n_negated: i32 {cube.derived = "rem(sub(0, add(rem(n, 4294967296), eq(rem(n, 4294967296), 0))), 4294967296)"})
// CHECK: %[[X:.*]] = cube.topology absolute_pos
// CHECK: %[[WIDE:.*]] = arith.extui %[[X]] : i32 to i64
// CHECK: %[[FACTOR:.*]] = arith.extui %n_factor : i32 to i64
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[WIDE]], %[[FACTOR]] : i64
// CHECK: %[[SUM:.*]] = arith.addi %[[PRODUCT]], %n_addend : i64
// CHECK: %[[UPPER:.*]] = arith.shrui %[[SUM]], %{{.*}} : i64
// CHECK: %[[T:.*]] = arith.trunci %[[UPPER]] : i64 to i32
// CHECK: %[[Q:.*]] = arith.shrui %[[T]], %n_shift : i32
// CHECK-NEXT: %[[QN:.*]] = arith.muli %[[Q]], %n_negated : i32
// CHECK-NEXT: arith.addi %[[X]], %[[QN]] : i32
// CHECK-NOT: cube.divui
// CHECK-NOT: cube.remui
cube.kernel @both(%n: i32, %x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %q = cube.divui %i, %n : i32
  %r = cube.remui %i, %n : i32
  cube.store %q, %x[%r] : i32, !cube.array<i32>
  cube.return
}

// Divisors: an extent of a tensor, a 64-bit argument, and one divisor for all lanes of a line.
// CHECK-LABEL: cube.kernel @others(
// CHECK-SAME: %d_factor: i32 {cube.derived = "magic_factor(shape(x, 1))"}
// CHECK-SAME: %w_mul: i64 {cube.derived = "magic_mul64(w)"}
// CHECK-SAME: %w_shift_1: i64 {cube.derived = "min(magic_shift64(w), 1)"}, %w_shift_2: i64 {cube.derived = "sub(max(magic_shift64(w), 1), 1)"}
// CHECK: arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %{{.*}}, %[[T:.*]] = arith.mului_extended %[[B:.*]], %w_mul : i64
// CHECK: %[[REST:.*]] = arith.subi %[[B]], %[[T]] : i64
// CHECK: %[[HALF:.*]] = arith.shrui %[[REST]], %w_shift_1 : i64
// CHECK: %[[SUM:.*]] = arith.addi %[[T]], %[[HALF]] : i64
// CHECK: arith.shrui %[[SUM]], %w_shift_2 : i64
// CHECK: %[[FACTORS:.*]] = vector.broadcast %d_factor : i32 to vector<4xi32>
// CHECK: arith.extui %[[FACTORS]] : vector<4xi32> to vector<4xi64>
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

// Signed division in 32 and 64 bits; the remainder reuses the quotient.
// CHECK-LABEL: cube.kernel @signed(
// CHECK-SAME: %n_signed: i32 {cube.derived = "magic_signed(n)"}
// CHECK-SAME: %n_sign: i32 {cube.derived = "rem(sub(0, shr(rem(n, 4294967296), 31)), 4294967296)"}
// CHECK-SAME: %w_signed: i64 {cube.derived = "magic_signed64(w)"}
// CHECK: %{{.*}}, %[[T:.*]] = arith.mulsi_extended %[[X:.*]], %n_signed : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[X]], %[[T]] : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrsi %[[SUM]], %n_shift_3 : i32
// CHECK: %[[BELOW:.*]] = arith.shrsi %[[X]], %{{.*}} : i32
// CHECK: %[[UP:.*]] = arith.subi %[[SHIFTED]], %[[BELOW]] : i32
// CHECK: %[[TURNED:.*]] = arith.xori %[[UP]], %n_sign : i32
// CHECK: %[[Q:.*]] = arith.subi %[[TURNED]], %n_sign : i32
// CHECK-NEXT: arith.muli %[[Q]], %n_negated : i32
// CHECK-NOT: mulsi_extended {{.*}} : i32
// CHECK: arith.mulsi_extended %{{.*}}, %w_signed : i64
cube.kernel @signed(%n: i32, %w: i64, %x: !cube.array<i32>, %y: !cube.array<i64>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %a = cube.load %x[%i] : !cube.array<i32> -> i32
  %q = cube.divsi %a, %n : i32
  %r = cube.remsi %a, %n : i32
  %s = arith.xori %q, %r : i32
  cube.store %s, %x[%i] : i32, !cube.array<i32>
  %b = cube.load %y[%i] : !cube.array<i64> -> i64
  %p = cube.divsi %b, %w : i64
  cube.store %p, %y[%i] : i64, !cube.array<i64>
  cube.return
}

// The host also computes sums, differences, products and quotients of arguments, and passes a quotient as an argument.
// CHECK-LABEL: cube.kernel @computed(
// CHECK-SAME: magic_factor(mul(n, shape(x, 1)))
// CHECK-SAME: magic_factor(add(sub(n, 3), shl(n, 2)))
// CHECK-SAME: "div(rem(n, 4294967296), rem(max(7, rem(shape(x, 1), 4294967296)), 4294967296))"
// CHECK-SAME: magic_factor(div(rem(n, 4294967296), rem(max(7, rem(shape(x, 1), 4294967296)), 4294967296)))
// CHECK-NOT: cube.divui %{{.*}}, %{{[a-d]}} : i32
cube.kernel @computed(%n: i32, %x: !cube.tensor<i32>, %s: i32 {cube.derived = "shape(x, 1)"}) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %area = arith.muli %n, %s : i32
  %a = cube.divui %i, %area : i32
  %less = arith.subi %n, %c3 : i32
  %four = cube.shl %n, %c2 : i32
  %more = arith.addi %less, %four : i32
  %b = cube.divui %a, %more : i32
  %least = arith.maxui %c7, %s : i32
  %ratio = cube.divui %n, %least : i32
  %c = cube.remui %b, %ratio : i32
  cube.store %c, %x[%i] : i32, !cube.tensor<i32>
  cube.return
}

// A divisor that is unknown at launch stays a division; so do small integers and a long expression.
// CHECK-LABEL: cube.kernel @left(%n: i32, %s: i16, %x: !cube.array<i32>) cube_dim(64)
// CHECK: cube.divui
// CHECK: cube.divui {{.*}} : i16
// CHECK: cube.divui
cube.kernel @left(%n: i32, %s: i16, %x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %q = cube.divui %i, %v : i32
  %t = arith.trunci %q : i32 to i16
  %u = cube.divui %t, %s : i16
  %w = arith.extui %u : i16 to i32
  %n2 = arith.muli %n, %n : i32
  %n4 = arith.muli %n2, %n2 : i32
  %n8 = arith.muli %n4, %n4 : i32
  %n16 = arith.muli %n8, %n8 : i32
  %n32 = arith.muli %n16, %n16 : i32
  %n64 = arith.muli %n32, %n32 : i32
  %z = cube.divui %w, %n64 : i32
  cube.store %z, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// A two-dimensional divisor with equal lanes is divided as a scalar, whose magic numbers are broadcast.
// CHECK-LABEL: cube.kernel @tile
// CHECK: %[[MUL:.*]] = vector.broadcast %n_factor : i32 to vector<2x4xi32>
// CHECK: arith.extui %[[MUL]] : vector<2x4xi32> to vector<2x4xi64>
// CHECK-NOT: arith.divui
// CHECK: cube.return
cube.kernel @tile(%n: i32, %x: i32) cube_dim(64) {
  %all = vector.broadcast %x : i32 to vector<2x4xi32>
  %by = vector.broadcast %n : i32 to vector<2x4xi32>
  %q = arith.divui %all, %by : vector<2x4xi32>
  %p = vector.extract %q[1, 2] : i32 from vector<2x4xi32>
  cube.return
}

// An exact division by a constant is a shift and a product with the inverse of the odd factor, on every target: the inverse
// of 3 is 0xAAAAAAAB, and that of -3 is 0x5555555555555555. Without the promise, the division stays.
// ANY-LABEL: cube.kernel @exact
// ANY-COUNT-2: arith.muli
// CHECK-LABEL: cube.kernel @exact
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: %[[ODD:.*]] = arith.shrui %x, %[[THREE]] : i32
// CHECK: %[[INVERSE:.*]] = arith.constant -1431655765 : i32
// CHECK: arith.muli %[[ODD]], %[[INVERSE]] : i32
// CHECK: %[[SIGNED:.*]] = arith.constant 6148914691236517205 : i64
// CHECK: arith.muli %y, %[[SIGNED]] : i64
// CHECK: arith.divui %x, %{{.*}} : i32
cube.kernel @exact(%x: i32, %y: i64, %p: !cube.array<i32>, %q: !cube.array<i64>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c24 = arith.constant 24 : i32
  %least = arith.constant -3 : i64
  %a = arith.divui %x, %c24 exact : i32
  %b = arith.divsi %y, %least exact : i64
  %c = arith.divui %x, %c24 : i32
  %d = arith.addi %a, %c : i32
  cube.store %d, %p[%i] : i32, !cube.array<i32>
  cube.store %b, %q[%i] : i64, !cube.array<i64>
  cube.return
}

// A remainder in a sum of products is a quotient with another factor: the offset of an element needs one product for each
// quotient and one for the position. The factor of the first quotient is s1 - n2 s2.
// ANY-LABEL: cube.kernel @offset
// ANY: cube.remui
// CHECK-LABEL: cube.kernel @offset
// CHECK-SAME: %factor: i32 {cube.derived = "rem(add(mul(s2, sub(0, add(rem(n2, 4294967296), eq(rem(n2, 4294967296), 0)))), s1), 4294967296)"}
// CHECK-SAME: %factor_: i32 {cube.derived = "rem(add(mul(s1, sub(0, add(rem(n1, 4294967296), eq(rem(n1, 4294967296), 0)))), s0), 4294967296)"}
// CHECK-NOT: negated
// CHECK: %[[I:.*]] = cube.topology absolute_pos
// CHECK: %[[AB:.*]] = arith.shrui %{{.*}}, %n2_shift : i32
// CHECK: %[[A:.*]] = arith.shrui %{{.*}}, %n1_shift : i32
// CHECK-NEXT: %[[P0:.*]] = arith.muli %[[I]], %s2 : i32
// CHECK-NEXT: %[[P1:.*]] = arith.muli %[[AB]], %factor : i32
// CHECK-NEXT: %[[T:.*]] = arith.addi %[[P0]], %[[P1]] : i32
// CHECK-NEXT: %[[P2:.*]] = arith.muli %[[A]], %factor_ : i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[T]], %[[P2]] : i32
// CHECK-NEXT: cube.load %x[%[[SUM]]]
cube.kernel @offset(%n1: i32, %n2: i32, %s0: i32, %s1: i32, %s2: i32, %x: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c = cube.remui %i, %n2 : i32
  %ab = cube.divui %i, %n2 : i32
  %b = cube.remui %ab, %n1 : i32
  %a = cube.divui %ab, %n1 : i32
  %pa = arith.muli %a, %s0 : i32
  %pb = arith.muli %b, %s1 : i32
  %pc = arith.muli %c, %s2 : i32
  %t0 = arith.addi %pa, %pb : i32
  %t1 = arith.addi %t0, %pc : i32
  %v = cube.load %x[%t1] : !cube.array<f32> -> f32
  cube.store %v, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// A remainder with another use, a remainder outside of the loop of the sum, and a remainder whose quotient is not in the
// sum stay, because the sum would have as many products.
// CHECK-LABEL: cube.kernel @kept
// CHECK-NOT: %factor:
// CHECK: cube.return
cube.kernel @kept(%n: i32, %s: i32, %t: i32, %x: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 10 : index
  %r = cube.remui %i, %n : i32
  %q = cube.divui %i, %n : i32
  %ps = arith.muli %r, %s : i32
  %pt = arith.muli %q, %t : i32
  %sum = arith.addi %ps, %pt : i32
  cube.store %r, %x[%sum] : i32, !cube.array<i32>
  %outer = cube.remui %sum, %n : i32
  %outer_q = cube.divui %sum, %n : i32
  scf.for %j = %zero to %many step %one {
    %po = arith.muli %outer, %s : i32
    %pq = arith.muli %outer_q, %t : i32
    %inner = arith.addi %po, %pq : i32
    cube.store %inner, %x[%inner] : i32, !cube.array<i32>
  }
  %alone = cube.remui %q, %n : i32
  %pa = arith.muli %alone, %s : i32
  %last = arith.addi %pa, %i : i32
  cube.store %last, %x[%last] : i32, !cube.array<i32>
  cube.return
}

// Dividends below 2^32 have 32-bit products. For a divisor of 2^32 and more, the factor, the addend and the shift are 0.
// CHECK-LABEL: cube.kernel @halves(
// CHECK-SAME: %n_half_factor: i32 {cube.derived = "mul(lt(n, 4294967296), magic_factor(n))"}
// CHECK-SAME: %n_half_addend: i64 {cube.derived = "mul(lt(n, 4294967296), magic_addend(n))"}
// CHECK-SAME: %n_half_shift: i32 {cube.derived = "mul(lt(n, 4294967296), magic_log(n))"}
// CHECK: %[[LOW:.*]] = arith.trunci %{{.*}} : vector<2xi64> to vector<2xi32>
// CHECK: arith.muli %{{.*}}, %{{.*}} : vector<2xi64>
// CHECK: %[[Q:.*]] = arith.shrui %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK: %[[NEGATED:.*]] = arith.trunci %n_negated : i64 to i32
// CHECK: arith.addi %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK: arith.extui %{{.*}} : vector<2xi32> to vector<2xi64>
// CHECK-NOT: cube.remui
cube.kernel @halves(%n: i64, %x: !cube.array<i32, 2>, %out: !cube.array<i64, 2>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] checked : !cube.array<i32, 2> -> vector<2xi32>
  %w = arith.extui %v : vector<2xi32> to vector<2xi64>
  %d = vector.broadcast %n : i64 to vector<2xi64>
  %r = cube.remui %w, %d : vector<2xi64>
  cube.store %r, %out[%i] checked : vector<2xi64>, !cube.array<i64, 2>
  cube.return
}

// STATS-DAG: fast-division {{.*}}23 divisions replaced
// STATS-DAG: fast-division {{.*}}2 remainders in sums replaced
