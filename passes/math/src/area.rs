//! Inverse hyperbolic functions: asinh, acosh, atanh. Each function is computed as log(1 + w), with a formula for w
//! that avoids cancellation.

use crate::emit::Emit;
use crate::log::log1p_inside;
use crate::steps::Steps;

/// log(1 + w). For large x the function computes log(2) + log(1 + x), because rounding of 1 + w = 2 x + 1 loses
/// the summand 1.
fn log_of_sum<E: Emit>(e: &E, x: E::F, w: E::F) -> E::F {
    let large = e.lt(e.c2(f64::powi(2.0, 28), f64::powi(2.0, 58)), x);
    let y = log1p_inside(e, e.select(large, x, w), e.iselect(large, e.k(1), e.k(0)));
    e.select(e.eq(x, e.inf()), x, y)
}

/// asinh(|x|) = log(1 + |x| + x^2 / (1 + sqrt(1 + x^2)))
pub fn asinh<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let one = e.c(1.0);
    let square = e.mul(a, a);
    let root = e.sqrt(e.near_fma(a, a, one));
    let w = e.add(a, e.div(square, e.add(one, root)));
    e.copysign(log_of_sum(e, a, w), x)
}

/// acosh(x) = log(1 + t + sqrt(2 t + t^2)) with t = x - 1
pub fn acosh<E: Emit>(e: &E, x: E::F) -> E::F {
    let t = e.sub(x, e.c(1.0));
    let w = e.add(t, e.sqrt(e.near_fma(t, t, e.add(t, t))));
    e.select(e.lt(x, e.c(1.0)), e.nan(), log_of_sum(e, x, w))
}

/// atanh(|x|) = log(1 + 2 |x| / (1 - |x|)) / 2
pub fn atanh<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let one = e.c(1.0);
    // The error of w is doubled in log(1 + w).
    let w = e.near_quotient(e.add(a, a), e.sub(one, a));
    let y = e.mul(e.c(0.5), log1p_inside(e, w, e.k(0)));
    let outside = e.select(e.eq(a, one), e.inf(), e.nan());
    let y = e.copysign(e.select(e.lt(a, one), y, outside), x);
    if !e.has_inexact_quotients() {
        return y;
    }
    // The correction of the quotient requires normal numbers. For small x, x^3 / 3 is below 0.1 ULP.
    e.select(e.lt(a, e.c2(f64::powi(2.0, -13), f64::powi(2.0, -28))), x, y)
}
