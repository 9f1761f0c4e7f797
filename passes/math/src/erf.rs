//! The error function and its complement.

use crate::emit::Emit;
use crate::exp::expm1_reduced;
use crate::format::Format;
use crate::steps::Steps;
use crate::tables::Tables;

/// erf(x) = x + x p(x^2) for |x| <= [`bound`]
fn small<E: Emit>(e: &E, x: E::F) -> E::F {
    e.near_fma(x, e.poly(e.mul(x, x), E::Kind::ERF), x)
}

/// The bound of the operands for which the function [`small`] computes erf. Above 1.125, erfc is less than 0.112, and the
/// errors of both formulas are about equal. In a short format, the bound 1 permits shorter polynomials.
fn bound<E: Emit>(e: &E) -> E::F {
    e.c(if E::Kind::PRECISION <= E::Kind::MANTISSA { 1.0 } else { 1.125 })
}

/// erf(x). For |x| above [`bound`], the function computes 1 - q(|x|)^4, where the polynomial q approximates the fourth root
/// of erfc. The error of q is 4 erfc / q times as large in the result, which is less than 0.8. A higher root would need a
/// shorter polynomial, but would multiply its error by more.
///
/// With an instruction for powers of two, the function computes 1 - 2^q(|x|). The logarithm of erfc is nearly a parabola, so
/// this polynomial is shorter.
pub fn erf<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let bounded = e.at_most(a, e.c2(4.0, 6.0));
    let one = e.c(1.0);
    let large = if e.has_near_exp2() {
        // erfc(1.125) is below 2^-3.1, so 3 ULP of erfc are less than 0.4 ULP of 1.
        e.copysign(e.sub(one, e.near_exp2(e.poly(bounded, E::Kind::ERF_TAIL))), x)
    } else {
        let root = e.poly(bounded, E::Kind::ERFC_ROOT);
        let square = e.mul(root, root);
        e.positive_with_sign(e.near_fnma(square, square, one), x)
    };
    e.select(e.lt(a, bound(e)), small(e, x), large)
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
