//! Logarithms: log, log2, log10, log1p.
//!
//! The argument is decomposed as x = 2^n (1 + f), with 1 + f in [sqrt(1/2), sqrt(2)). For x close to 1, n is 0 and
//! f is x - 1, so the result keeps its relative accuracy. The computed f is exact, by Sterbenz's lemma. The
//! leading terms n ln(2) and f are added without rounding error.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::Steps;
use crate::tables::Tables;

/// (n, f) with x = 2^n (1 + f), for finite x > 0. Subnormal x are included.
pub(crate) fn reduce<E: Emit>(e: &E, x: E::F) -> (E::F, E::F) {
    let mantissa = <E::Kind as Format>::MANTISSA;
    let subnormal = e.lt(x, e.min_normal());
    let scaled = e.select(subnormal, e.mul(x, e.two(mantissa as i32)), x);
    let (n, f) = split(e, scaled);
    (e.of_int(e.iselect(subnormal, e.isub(n, e.k(mantissa)), n)), f)
}

/// The decomposition x = 2^n (1 + f) for normal x, with an integer n.
pub(crate) fn split<E: Emit>(e: &E, x: E::F) -> (E::I, E::F) {
    let mantissa = e.k(<E::Kind as Format>::MANTISSA);
    // The floor of the difference of the bit patterns of x and sqrt(1/2), divided by 2^mantissa, is n.
    let bits = e.bits(x);
    let sqrt_half = e.bits(e.f(E::Kind::float(core::f64::consts::FRAC_1_SQRT_2)));
    let n = e.shr_s(e.isub(bits, sqrt_half), mantissa);
    let reduced = e.of_bits(e.isub(bits, e.shl(n, mantissa)));
    (n, e.sub(reduced, e.c(1.0)))
}

/// Replaces the result of a logarithm at 0, at infinity, at NaN, and below 0.
fn edges<E: Emit>(e: &E, x: E::F, y: E::F) -> E::F {
    let y = e.select(e.eq(x, e.inf()), x, y);
    let outside = e.select(e.eq(x, e.c(0.0)), e.neg(e.inf()), e.nan());
    e.select(e.lt(e.c(0.0), x), y, outside)
}

/// n ln(2) + log(1 + f + g), where g is smaller than the last bit of f.
fn ln<E: Emit>(e: &E, n: E::F, f: E::F, g: E::F) -> E::F {
    let (sum, error) = e.fast_two_sum(e.mul(n, e.f(E::Kind::LN2_HI)), f);
    let tail = e.near_fma(n, e.f(E::Kind::LN2_LO), e.add(error, g));
    e.add(sum, e.near_fma(e.mul(f, f), e.poly(f, E::Kind::LOG), tail))
}

/// The natural logarithm.
pub fn log<E: Emit>(e: &E, x: E::F) -> E::F {
    let (n, f) = reduce(e, x);
    edges(e, x, ln(e, n, f, e.c(0.0)))
}

/// The logarithm to base 2.
pub fn log2<E: Emit>(e: &E, x: E::F) -> E::F {
    let (n, f) = reduce(e, x);
    let (sum, error) = e.fast_two_sum(n, f);
    edges(e, x, e.add(sum, e.near_fma(f, e.poly(f, E::Kind::LOG2), error)))
}

/// The logarithm to base 10.
pub fn log10<E: Emit>(e: &E, x: E::F) -> E::F {
    let (n, f) = reduce(e, x);
    let (high, low) = e.two_product(f, e.f(E::Kind::LOG10_E_HI));
    let (sum, error) = e.fast_two_sum(e.mul(n, e.f(E::Kind::LOG10_2_HI)), high);
    let tail = e.near_fma(n, e.f(E::Kind::LOG10_2_LO), e.add(error, low));
    edges(e, x, e.add(sum, e.near_fma(f, e.poly(f, E::Kind::LOG10), tail)))
}

/// log((1 + x) 2^twos) for x > -1, correct even if the sum 1 + x is rounded. 1 + x = u + c with the rounded u = 2^n
/// (1 + f), so log(1 + x) = n ln(2) + log(1 + f) + c 2^-n / (1 + f). For nonzero `n`, the divisor 1 + f can
/// be omitted at the required accuracy. For n = 0, f = x and c = 0 are exact.
pub(crate) fn log1p_inside<E: Emit>(e: &E, x: E::F, twos: E::I) -> E::F {
    let one = e.c(1.0);
    let u = e.add(x, one);
    let grew = e.sub(u, x);
    let c = e.select(e.lt(one, x), e.sub(one, grew), e.sub(x, e.sub(u, one)));
    let (n, f) = split(e, u);
    let near = e.ieq(n, e.k(0));
    // For n above bias - 1, c is too small to affect the result, and 2^-n is not a normal number.
    let most = e.k(<E::Kind as Format>::BIAS - 1);
    let down = e.pow2(e.isub(e.k(0), e.iselect(e.ilt(most, n), most, n)));
    let f_near = e.select(near, x, f);
    let g = e.select(near, e.c(0.0), e.mul(c, down));
    ln(e, e.of_int(e.iadd(n, twos)), f_near, g)
}

/// log(1 + x)
pub fn log1p<E: Emit>(e: &E, x: E::F) -> E::F {
    let y = log1p_inside(e, x, e.k(0));
    let y = e.select(e.eq(x, e.inf()), x, y);
    let outside = e.select(e.eq(x, e.c(-1.0)), e.neg(e.inf()), e.nan());
    // The select for x = 0 preserves the sign of zero.
    let y = e.select(e.eq(x, e.c(0.0)), x, y);
    e.select(e.lt(e.c(-1.0), x), y, outside)
}
