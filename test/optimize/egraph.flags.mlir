// RUN: cube-opt %s --pass-pipeline='builtin.module(attach-target{target=nvptx:sm_90a},cube.kernel(egraph))' | FileCheck %s

// Each rule applies if all its flags are present, and does not apply if one of them is missing.

// CHECK-LABEL: cube.kernel @add_zero(
// CHECK-NOT: arith.addf
// CHECK: cube.return
cube.kernel @add_zero(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %z = arith.constant 0.0 : f32
  %r = arith.addf %a, %z fastmath<nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @add_zero_without_nsz(
// CHECK: arith.addf %
// CHECK: cube.return
cube.kernel @add_zero_without_nsz(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %z = arith.constant 0.0 : f32
  %r = arith.addf %a, %z : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @itself(
// CHECK-NOT: arith.subf
// CHECK: cube.return
cube.kernel @itself(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %r = arith.subf %a, %a fastmath<nnan> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @itself_without_nnan(
// CHECK: arith.subf %
// CHECK: cube.return
cube.kernel @itself_without_nnan(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %r = arith.subf %a, %a : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @by_zero(
// CHECK-NOT: arith.mulf
// CHECK: cube.return
cube.kernel @by_zero(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %z = arith.constant 0.0 : f32
  %r = arith.mulf %a, %z fastmath<nnan,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @by_zero_without_nnan(
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @by_zero_without_nnan(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %z = arith.constant 0.0 : f32
  %r = arith.mulf %a, %z fastmath<nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @by_zero_without_nsz(
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @by_zero_without_nsz(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %z = arith.constant 0.0 : f32
  %r = arith.mulf %a, %z fastmath<nnan> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @fused(
// CHECK: math.fma
// CHECK: cube.return
cube.kernel @fused(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<contract> : f32
  %r = arith.addf %m, %c fastmath<contract> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @fused_without_contract(
// CHECK: arith.mulf %
// CHECK: arith.addf %
// CHECK: cube.return
cube.kernel @fused_without_contract(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b : f32
  %r = arith.addf %m, %c : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @quotient(
// CHECK: arith.mulf
// CHECK: cube.return
cube.kernel @quotient(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %d = arith.constant 3.0 : f32
  %r = arith.divf %a, %d fastmath<arcp> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @quotient_without_arcp(
// CHECK: arith.divf %
// CHECK: cube.return
cube.kernel @quotient_without_arcp(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %d = arith.constant 3.0 : f32
  %r = arith.divf %a, %d : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @quotients(
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK-NOT: arith.divf
// CHECK: cube.return
cube.kernel @quotients(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %t = arith.constant 3.0 : f32
  %s = arith.constant 7.0 : f32
  %m = arith.mulf %a, %t fastmath<reassoc,arcp> : f32
  %r = arith.divf %m, %s fastmath<reassoc,arcp> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @quotients_without_reassoc(
// CHECK: arith.mulf %
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @quotients_without_reassoc(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %t = arith.constant 3.0 : f32
  %s = arith.constant 7.0 : f32
  %m = arith.mulf %a, %t fastmath<arcp> : f32
  %r = arith.divf %m, %s fastmath<arcp> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @quotients_without_arcp(
// CHECK: arith.mulf %
// CHECK: arith.divf %
// CHECK: cube.return
cube.kernel @quotients_without_arcp(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %t = arith.constant 3.0 : f32
  %s = arith.constant 7.0 : f32
  %m = arith.mulf %a, %t fastmath<reassoc> : f32
  %r = arith.divf %m, %s fastmath<reassoc> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// A rule does not apply, with any flags, if its constants or products leave the range of the format.
// CHECK-LABEL: cube.kernel @small_divisor(
// CHECK: arith.divf %
// CHECK: cube.return
cube.kernel @small_divisor(%x: !cube.array<f16>, %a: f16, %i: i32) cube_dim(64) {
  %s = arith.constant 1.0e-05 : f16
  %r = arith.divf %a, %s fastmath<fast> : f16
  cube.store %r, %x[%i] : f16, !cube.array<f16>
  cube.return
}

// CHECK-LABEL: cube.kernel @large_product(
// CHECK: arith.mulf %
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @large_product(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %s = arith.constant 1.0e+30 : f32
  %m = arith.mulf %a, %s fastmath<fast> : f32
  %r = arith.mulf %m, %s fastmath<fast> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @nested_quotients(
// CHECK: arith.divf %
// CHECK: arith.divf %
// CHECK: cube.return
cube.kernel @nested_quotients(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.divf %a, %b fastmath<fast> : f32
  %r = arith.divf %m, %c fastmath<fast> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @sum_of_logarithms(
// CHECK: math.log2
// CHECK: math.log2
// CHECK: cube.return
cube.kernel @sum_of_logarithms(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = math.log %a fastmath<fast> : f32
  %n = math.log %b fastmath<fast> : f32
  %r = arith.addf %m, %n fastmath<fast> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @product_of_roots(
// CHECK: math.sqrt
// CHECK: math.sqrt
// CHECK: cube.return
cube.kernel @product_of_roots(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = math.sqrt %a fastmath<fast> : f32
  %n = math.sqrt %b fastmath<fast> : f32
  %r = arith.mulf %m, %n fastmath<fast> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @factor(
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: arith.
// CHECK: cube.return
cube.kernel @factor(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<reassoc,nnan,nsz> : f32
  %n = arith.mulf %a, %c fastmath<reassoc,nnan,nsz> : f32
  %r = arith.addf %m, %n fastmath<reassoc,nnan,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @factor_without_reassoc(
// CHECK: arith.mulf %
// CHECK: arith.mulf %
// CHECK: arith.addf %
// CHECK: cube.return
cube.kernel @factor_without_reassoc(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<nnan,nsz> : f32
  %n = arith.mulf %a, %c fastmath<nnan,nsz> : f32
  %r = arith.addf %m, %n fastmath<nnan,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @factor_without_nnan(
// CHECK: arith.mulf %
// CHECK: arith.mulf %
// CHECK: arith.addf %
// CHECK: cube.return
cube.kernel @factor_without_nnan(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<reassoc,nsz> : f32
  %n = arith.mulf %a, %c fastmath<reassoc,nsz> : f32
  %r = arith.addf %m, %n fastmath<reassoc,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @factor_without_nsz(
// CHECK: arith.mulf %
// CHECK: arith.mulf %
// CHECK: arith.addf %
// CHECK: cube.return
cube.kernel @factor_without_nsz(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<reassoc,nnan> : f32
  %n = arith.mulf %a, %c fastmath<reassoc,nnan> : f32
  %r = arith.addf %m, %n fastmath<reassoc,nnan> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @reciprocal_root(
// CHECK: math.rsqrt
// CHECK: cube.return
cube.kernel @reciprocal_root(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = math.sqrt %a fastmath<arcp,afn> : f32
  %r = arith.divf %o, %s fastmath<arcp,afn> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @reciprocal_root_without_arcp(
// CHECK: math.sqrt %
// CHECK: arith.divf %
// CHECK: cube.return
cube.kernel @reciprocal_root_without_arcp(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = math.sqrt %a fastmath<afn> : f32
  %r = arith.divf %o, %s fastmath<afn> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @reciprocal_root_without_afn(
// CHECK: math.sqrt %
// CHECK: arith.divf %
// CHECK: cube.return
cube.kernel @reciprocal_root_without_afn(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = math.sqrt %a fastmath<arcp> : f32
  %r = arith.divf %o, %s fastmath<arcp> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @exponential(
// CHECK: math.exp2
// CHECK: cube.return
cube.kernel @exponential(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %r = math.exp %a fastmath<afn> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @exponential_without_afn(
// CHECK: math.exp %
// CHECK: cube.return
cube.kernel @exponential_without_afn(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %r = math.exp %a : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @logarithm(
// CHECK: math.log2
// CHECK: cube.return
cube.kernel @logarithm(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %r = math.log %a fastmath<afn> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @logarithm_without_afn(
// CHECK: math.log %
// CHECK: cube.return
cube.kernel @logarithm_without_afn(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %r = math.log %a : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @power(
// CHECK: arith.mulf
// CHECK: cube.return
cube.kernel @power(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %t = arith.constant 2.0 : f32
  %r = math.powf %a, %t fastmath<afn> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @power_without_afn(
// CHECK: math.powf %
// CHECK: cube.return
cube.kernel @power_without_afn(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %t = arith.constant 2.0 : f32
  %r = math.powf %a, %t : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @scaled_sum(
// CHECK: math.fma
// CHECK: cube.return
cube.kernel @scaled_sum(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = arith.addf %a, %o fastmath<contract,reassoc,ninf,nsz> : f32
  %r = arith.mulf %s, %b fastmath<contract,reassoc,ninf,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @scaled_sum_without_contract(
// CHECK: arith.addf %
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @scaled_sum_without_contract(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = arith.addf %a, %o fastmath<reassoc,ninf,nsz> : f32
  %r = arith.mulf %s, %b fastmath<reassoc,ninf,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @scaled_sum_without_reassoc(
// CHECK: arith.addf %
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @scaled_sum_without_reassoc(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = arith.addf %a, %o fastmath<contract,ninf,nsz> : f32
  %r = arith.mulf %s, %b fastmath<contract,ninf,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @scaled_sum_without_ninf(
// CHECK: arith.addf %
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @scaled_sum_without_ninf(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = arith.addf %a, %o fastmath<contract,reassoc,nsz> : f32
  %r = arith.mulf %s, %b fastmath<contract,reassoc,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @scaled_sum_without_nsz(
// CHECK: arith.addf %
// CHECK: arith.mulf %
// CHECK: cube.return
cube.kernel @scaled_sum_without_nsz(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %o = arith.constant 1.0 : f32
  %s = arith.addf %a, %o fastmath<contract,reassoc,ninf> : f32
  %r = arith.mulf %s, %b fastmath<contract,reassoc,ninf> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// Operations with different flags match a rule if each has the rule's flags. The result has the common flags.
// CHECK-LABEL: cube.kernel @fused_by_common_flags(
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK-NOT: arith.addf
// CHECK: cube.return
cube.kernel @fused_by_common_flags(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<nnan,contract> : f32
  %r = arith.addf %m, %c fastmath<contract,nsz> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// CHECK-LABEL: cube.kernel @not_fused_by_different_flags(
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: cube.return
cube.kernel @not_fused_by_different_flags(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<contract,nsz> : f32
  %r = arith.addf %m, %c fastmath<reassoc,nnan> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// The first sum with nsz equals the product, so the product and the second sum fuse.
// CHECK-LABEL: cube.kernel @fused_behind_a_zero(
// CHECK: math.fma %a, %b, %c fastmath<contract> : f32
// CHECK-NOT: arith.addf
// CHECK: cube.return
cube.kernel @fused_behind_a_zero(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %z = arith.constant 0.0 : f32
  %m = arith.mulf %a, %b fastmath<contract> : f32
  %s = arith.addf %m, %z fastmath<nsz> : f32
  %r = arith.addf %s, %c fastmath<contract> : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// With nsz, the negation can return another zero than the exact negation of the same value, which is kept.
// CHECK-LABEL: cube.kernel @exact_beside_inexact(
// CHECK: %[[D:.*]] = arith.subf %a, %b : f32
// CHECK: cube.store %[[D]],
// CHECK: cube.return
cube.kernel @exact_beside_inexact(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32) cube_dim(64) {
  %d = arith.subf %a, %b : f32
  %n = arith.negf %d fastmath<nsz> : f32
  %r = arith.negf %n : f32
  %s = arith.addf %d, %r : f32
  cube.store %d, %x[%i] : f32, !cube.array<f32>
  cube.store %s, %x[%i] : f32, !cube.array<f32>
  cube.return
}

// A product that is used in only one branch fuses with the sum in the branch.
// CHECK-LABEL: cube.kernel @fused_into_a_branch(
// CHECK-NOT: arith.mulf
// CHECK: scf.if %p
// CHECK-NEXT: scf.if %q
// CHECK-NEXT: %[[S:.*]] = math.fma %a, %b, %c fastmath<contract> : f32
// CHECK-NOT: arith.addf
// CHECK: cube.return
cube.kernel @fused_into_a_branch(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32, %p: i1, %q: i1) cube_dim(64) {
  %m = arith.mulf %a, %b fastmath<contract> : f32
  scf.if %p {
    scf.if %q {
      %r = arith.addf %m, %c fastmath<contract> : f32
      cube.store %r, %x[%i] : f32, !cube.array<f32>
    }
  }
  cube.return
}

// CHECK-LABEL: cube.kernel @not_fused_into_a_branch(
// CHECK: arith.mulf
// CHECK: scf.if
// CHECK-NOT: math.fma
// CHECK: cube.return
cube.kernel @not_fused_into_a_branch(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32, %p: i1) cube_dim(64) {
  %m = arith.mulf %a, %b : f32
  scf.if %p {
    %r = arith.addf %m, %c fastmath<contract> : f32
    cube.store %r, %x[%i] : f32, !cube.array<f32>
  }
  cube.return
}

// A product that is also stored, and a product before a loop, are computed once and not fused.
// CHECK-LABEL: cube.kernel @needed_outside(
// CHECK-COUNT-2: arith.mulf
// CHECK: scf.if
// CHECK-NOT: math.fma
// CHECK: cube.return
cube.kernel @needed_outside(%x: !cube.array<f32>, %a: f32, %b: f32, %c: f32, %i: i32, %p: i1) cube_dim(64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = arith.mulf %a, %b fastmath<contract> : f32
  %l = arith.mulf %a, %c fastmath<contract> : f32
  cube.store %m, %x[%i] : f32, !cube.array<f32>
  scf.if %p {
    %r = arith.addf %m, %c fastmath<contract> : f32
    cube.store %r, %x[%i] : f32, !cube.array<f32>
  }
  scf.for %k = %c0 to %i step %c1 : i32 {
    %r = arith.addf %l, %b fastmath<contract> : f32
    cube.store %r, %x[%k] : f32, !cube.array<f32>
  }
  cube.return
}
