//! The error function and its complement.

use crate::emit::Emit;
use crate::exp::{exp2_reduced, expm1_reduced};
use crate::steps::Steps;
use crate::tables::Tables;

/// erf(a) = a + a p(a^2) for 0 <= a <= 1
fn small<E: Emit>(e: &E, a: E::F) -> E::F {
    e.near_fma(a, e.poly(e.mul(a, a), E::Kind::ERF), a)
}

/// erf(x). For arguments above 1, the function computes 1 - 2^q(x), where q is a polynomial. The logarithm of
/// erfc is nearly a parabola, so q has a low degree.
pub fn erf<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let bounded = e.at_most(a, e.c2(4.0, 6.0));
    let tail = e.poly(bounded, E::Kind::ERF_TAIL);
    // erfc(1) is below 2^-2.6, so 3 ULP of erfc are less than 0.6 ULP of 1.
    let large = match e.near_exp2(tail) {
        Some(power) => e.sub(e.c(1.0), power),
        None => {
            let (n, p) = exp2_reduced(e, tail);
            e.near_fnma(p, e.pow2(n), e.c(1.0))
        }
    };
    e.copysign(e.select(e.lt(a, e.c(1.0)), small(e, a), large), x)
}

/// 1 - erf(x). For arguments above 1, the function computes e^(-x^2) t p(t) with t = 1 / (1 + x/2). The
/// square x^2 has a rounding error l, which the factor e^(-l) = 1 - l corrects. For arguments below -1, the
/// function uses erfc(x) = 2 - erfc(-x).
pub fn erfc<E: Emit>(e: &E, x: E::F) -> E::F {
    let one = e.c(1.0);
    let a = e.at_most(e.abs(x), e.c2(11.0, 28.0));
    let (square, error) = e.two_product(a, a);
    let (n, p) = expm1_reduced(e, e.neg(square));
    let t = e.div(one, e.near_fma(a, e.c(0.5), one));
    let smooth = e.mul(t, e.poly(t, E::Kind::ERFC));
    let power = e.add(p, one);
    let large = e.scale(e.mul(smooth, e.near_fnma(power, error, power)), n);
    let large = e.select(e.lt(x, e.c(0.0)), e.sub(e.c(2.0), large), large);
    e.select(e.lt(a, one), e.sub(one, e.copysign(small(e, a), x)), large)
}
