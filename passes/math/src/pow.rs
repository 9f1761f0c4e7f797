//! Powers: pow, powi.
//!
//! |x|^y = 2^(y log2|x|). The power multiplies the relative error of log2|x| by y log2|x|, which can be as large as
//! the exponent bias. The algorithm therefore represents log2|x| as an unevaluated sum of two floats.

use crate::emit::Emit;
use crate::exp::exp2_fraction;
use crate::format::Format;
use crate::log::reduce;
use crate::steps::Steps;
use crate::tables::Tables;

/// The centre c for 1 + f, which is about 2^(-1/3), 1 or 2^(1/3). Returns c and the high and low parts of
/// log2(c).
fn centre<E: Emit>(e: &E, f: E::F) -> (E::F, E::F, E::F) {
    // The limits between the centres are 2^(-1/6) and 2^(1/6).
    let below = e.lt(f, e.c(-0.109375));
    let above = e.lt(e.c(0.123046875), f);
    let pick = |down, middle, up| e.select(below, e.f(down), e.select(above, e.f(up), e.c(middle)));
    (
        pick(E::Kind::POW_DOWN, 1.0, E::Kind::POW_UP),
        pick(E::Kind::LOG2_POW_DOWN_HI, 0.0, E::Kind::LOG2_POW_UP_HI),
        pick(E::Kind::LOG2_POW_DOWN_LO, 0.0, E::Kind::LOG2_POW_UP_LO),
    )
}

/// Returns high and low with log2(a) = high + low, for a finite `a > 0`.
///
/// Let a = 2^n (1 + f) and `s = (1 + f - c) / (1 + f + c)`. Then log2(1 + f) = log2(c) + 2 log2(e) atanh(s). The term
/// 2 log2(e) atanh(s) is computed as `2 log2(e) s + s^3 P(s^2)`. The centre c is chosen such that |s| < 0.06, so the cubic
/// term is small. The rounding error of the cubic term is not tracked.
fn log2_sum<E: Emit>(e: &E, a: E::F) -> (E::F, E::F) {
    let (n, f) = reduce(e, a);
    let one = e.c(1.0);
    let (c, log_high, log_low) = centre(e, f);
    // The value s is the sum of two floats: the quotient, and the residue of the quotient divided by the divisor. The
    // divisor is a sum of two floats too.
    let dividend = e.sub(f, e.sub(c, one));
    let (divisor, rounding) = e.fast_two_sum(e.add(c, one), f);
    let inverse = e.div(one, divisor);
    let s = e.mul(dividend, inverse);
    let residue = e.fnma(s, rounding, e.fnma(s, divisor, dividend));
    let s_low = e.mul(residue, inverse);

    let two = e.c(2.0);
    let (scale, scale_low) = (e.mul(two, e.f(E::Kind::LOG2_E_HI)), e.mul(two, e.f(E::Kind::LOG2_E_LO)));
    let (head, error) = e.two_product(s, scale);
    let square = e.mul(s, s);
    let cubic = e.mul(e.mul(square, s), e.poly(square, E::Kind::POW));
    let low = e.add(cubic, e.near_fma(s_low, scale, e.near_fma(s, scale_low, error)));
    let (sum, error) = e.fast_two_sum(e.add(n, log_high), head);
    e.fast_two_sum(sum, e.add(error, e.add(low, log_low)))
}

/// a^(y + y_low) for a finite a > 0 and |y| <= 2^70. On overflow the result is infinite, and on underflow
/// zero.
fn magnitude<E: Emit>(e: &E, a: E::F, y: E::F, y_low: Option<E::F>) -> E::F {
    let (high, low) = log2_sum(e, a);
    let (p, error) = e.two_product(y, high);
    let tail = e.near_fma(y, low, error);
    let tail = y_low.map_or(tail, |l| e.near_fma(l, high, tail));
    // Outside the range the product is clamped, so the low part is not needed.
    let limit = e.c2(200.0, 1200.0);
    let p = e.at_least(e.at_most(p, limit), e.neg(limit));
    let tail = e.select(e.lt(e.abs(p), limit), tail, e.c(0.0));
    let (whole, n) = e.nearest(p, e.c(1.0));
    e.scale(exp2_fraction(e, e.add(e.sub(p, whole), tail)), n)
}

/// Replaces the magnitude m of a power for |x| = 0, infinite |x| and NaN, and sets the sign. The exponent of the power
/// is not zero.
fn edges<E: Emit>(e: &E, x: E::F, m: E::F, up: E::B, down: E::B, odd: E::B) -> E::F {
    let a = e.abs(x);
    let zero = e.eq(a, e.c(0.0));
    let edge = e.or(zero, e.eq(a, e.inf()));
    let m = e.select(e.and(edge, up), a, m);
    let m = e.select(e.and(edge, down), e.select(zero, e.inf(), e.c(0.0)), m);
    let signed = e.select(odd, e.copysign(m, x), m);
    e.select(e.eq(x, x), signed, x)
}

/// x^y with the special cases of IEEE 754-2019, 9.2.1 (pow).
pub fn pow<E: Emit>(e: &E, x: E::F, y: E::F) -> E::F {
    let (zero, one) = (e.c(0.0), e.c(1.0));
    // An infinite exponent is replaced by a huge one. NaN is unchanged.
    let huge = e.two(70);
    let bounded = e.at_least(e.at_most(y, huge), e.neg(huge));
    let m = magnitude(e, e.abs(x), bounded, None);

    // Every number of at least 2^(mantissa + 1) is an even integer. An even integer replaces NaN, so that the
    // conversion is in range.
    let even = e.two(<E::Kind as Format>::MANTISSA as i32 + 1);
    let small = e.select(e.lt(e.abs(y), even), y, even);
    let whole = e.to_int(small);
    let integer = e.eq(e.of_int(whole), small);
    let odd = e.and(integer, e.ieq(e.iand(whole, e.k(1)), e.k(1)));
    let result = edges(e, x, m, e.lt(zero, y), e.lt(y, zero), odd);

    let negative = e.and(e.lt(x, zero), e.lt(e.neg(e.inf()), x));
    let result = e.select(e.and(negative, e.not(integer)), e.nan(), result);
    e.select(e.or(e.eq(x, one), e.eq(y, zero)), one, result)
}

/// x^n for any integer n of the format's width. The integer n can have more bits than the significand of a float.
pub fn powi<E: Emit>(e: &E, x: E::F, n: E::I) -> E::F {
    let precision = <E::Kind as Format>::MANTISSA + 1;
    let spare = <E::Kind as Format>::WIDTH - precision;
    let exact = e.ult(e.iadd(n, e.k(1 << precision)), e.k(2 << precision));
    let low = e.iselect(exact, e.k(0), e.iand(n, e.k((1 << spare) - 1)));
    let high = e.of_int(e.isub(n, low));
    let m = magnitude(e, e.abs(x), high, Some(e.of_int(low)));
    let zero = e.k(0);
    let odd = e.ieq(e.iand(n, e.k(1)), e.k(1));
    let result = edges(e, x, m, e.ilt(zero, n), e.ilt(n, zero), odd);
    e.select(e.ieq(n, zero), e.c(1.0), result)
}
