//! Exponentials: exp, exp2, exp10, expm1.
//!
//! The functions use Cody and Waite's reduction ("Software Manual for the Elementary Functions", 1980, chapter 6).
//! The reduction decomposes x = n ln(2) + r with |r| <= ln(2)/2, so that e^x = 2^n e^r. The product of n and the
//! high part of ln(2) is exact, because the last bits of the high part are zero. Therefore r is rounded only
//! once.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::{Float, Steps};
use crate::tables::Tables;

/// Clamps x to the limits `low` and `high`. Outside these limits, e^x is infinity or rounds to zero. Between the
/// limits, the integer n of the decomposition is in the range of [`Steps::scale`].
fn clamp<E: Emit>(e: &E, x: E::F, low: [f64; 2], high: [f64; 2]) -> E::F {
    e.at_least(e.at_most(x, e.c2(high[0], high[1])), e.c2(low[0], low[1]))
}

/// Decomposes x = n step + r, with step = hi + lo and the integer n nearest to x / step.
fn reduce<E: Emit>(e: &E, x: E::F, per_step: Float<E>, hi: Float<E>, lo: Float<E>) -> (E::I, E::F) {
    let (nf, n) = e.nearest(x, e.f(per_step));
    // The product and the difference are exact.
    let r = e.near_fnma(nf, e.f(hi), x);
    (n, e.near_fnma(nf, e.f(lo), r))
}

/// Decomposes x = n ln(2) + r and returns (n, e^r - 1).
pub(crate) fn expm1_reduced<E: Emit>(e: &E, x: E::F) -> (E::I, E::F) {
    let (n, r) = reduce(e, x, E::Kind::LOG2_E_HI, E::Kind::LN2_HI, E::Kind::LN2_LO);
    (n, e.near_fma(e.mul(r, r), e.poly(r, E::Kind::EXP), r))
}

/// The product e^x 2^bias for any x.
pub(crate) fn exp_scaled<E: Emit>(e: &E, x: E::F, bias: i64) -> E::F {
    let x = clamp(e, x, [-105.0, -747.0], [91.0, 712.0]);
    let (n, p) = expm1_reduced(e, x);
    let n = if bias == 0 { n } else { e.iadd(n, e.k(bias)) };
    e.scale(e.add(p, e.c(1.0)), n)
}

/// e^x
pub fn exp<E: Emit>(e: &E, x: E::F) -> E::F {
    exp_scaled(e, x, 0)
}

/// Decomposes x = n + r and returns (n, 2^r).
pub(crate) fn exp2_reduced<E: Emit>(e: &E, x: E::F) -> (E::I, E::F) {
    let (nf, n) = e.nearest(x, e.c(1.0));
    (n, exp2_fraction(e, e.sub(x, nf)))
}

/// 2^r for |r| <= 1/2.
pub(crate) fn exp2_fraction<E: Emit>(e: &E, r: E::F) -> E::F {
    e.near_fma(r, e.poly(r, E::Kind::EXP2), e.c(1.0))
}

/// 2^x
pub fn exp2<E: Emit>(e: &E, x: E::F) -> E::F {
    let x = clamp(e, x, [-152.0, -1077.0], [130.0, 1026.0]);
    let (n, p) = exp2_reduced(e, x);
    e.scale(p, n)
}

/// 10^x
pub fn exp10<E: Emit>(e: &E, x: E::F) -> E::F {
    let x = clamp(e, x, [-46.0, -325.0], [39.0, 309.0]);
    let (n, r) = reduce(e, x, E::Kind::LOG2_10, E::Kind::LOG10_2_HI, E::Kind::LOG10_2_LO);
    e.scale(e.near_fma(r, e.poly(r, E::Kind::EXP10), e.c(1.0)), n)
}

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1)
pub fn expm1<E: Emit>(e: &E, x: E::F) -> E::F {
    let (n, p) = expm1_reduced(e, clamp(e, x, [-30.0, -50.0], [91.0, 712.0]));
    // 2^n has two factors, because 2^(bias + 1) is not a finite number. If the second factor is not 1, the result
    // without the summand -1 rounds to the same number.
    let bias = e.k(<E::Kind as Format>::BIAS);
    let most = e.iselect(e.ilt(bias, n), bias, n);
    let scale = e.pow2(most);
    let y = e.near_fma(scale, p, e.sub(scale, e.c(1.0)));
    // The sign of x replaces the sign of the result, because the sum loses the sign of a zero.
    e.copysign(e.mul(y, e.pow2(e.isub(n, most))), x)
}
