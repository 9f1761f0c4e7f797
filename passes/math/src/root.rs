//! Roots: rsqrt, cbrt, hypot.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::Steps;

/// 1 / sqrt(x)
pub fn rsqrt<E: Emit>(e: &E, x: E::F) -> E::F {
    let root = e.sqrt(x);
    let inverse = e.div(e.c(1.0), root);
    if !e.has_inexact_quotients() {
        return inverse;
    }
    // The roots 0 and infinity have no residue.
    let has_residue = e.and(e.lt(e.c(0.0), root), e.lt(root, e.inf()));
    e.select(has_residue, e.near_quotient(e.c(1.0), root), inverse)
}

/// a^(-1/3), with approximately the precision of the format. The start value is a third of the bit pattern. A bit
/// pattern read as an integer approximates a logarithm (Kahan, "Computing a real cube root", 1991). Each step uses the
/// series (1 - h)^(-1/3) = 1 + h/3 + 2 h^2/9 + O(h^3) with h = 1 - a r^3. A step reduces the relative error from e to
/// about 5 e^3.
fn inverse_cbrt<E: Emit>(e: &E, a: E::F) -> E::F {
    let double = <E::Kind as Format>::WIDTH == 64;
    // 4/3 of the exponent bias, less a term that centres the error of the start value.
    let start = if double { 0x553e_f0ff_289d_d796 } else { 0x54a2_fa8d };
    let third = e.umul_hi(e.bits(a), e.k(if double { 0x5555_5555_5555_5556 } else { 0x5555_5556 }));
    let mut r = e.of_bits(e.isub(e.k(start), third));
    for _ in 0..if double { 3 } else { 2 } {
        let h = e.fnma(e.mul(a, r), e.mul(r, r), e.c(1.0));
        let series = e.near_fma(h, e.f(E::Kind::float(2.0 / 9.0)), e.f(E::Kind::float(1.0 / 3.0)));
        r = e.near_fma(e.mul(r, h), series, r);
    }
    r
}

/// The cube root: y = a r^2 with r = a^(-1/3), then one Newton step y + (a - y^3) / (3 y^2). The step computes y^3
/// as a sum of two floats.
pub fn cbrt<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    // Scales away from the subnormals, for which the residue a - y^3 would round.
    let tiny = e.lt(a, e.c2(f64::powi(2.0, -60), f64::powi(2.0, -900)));
    let up = e.c2(f64::powi(2.0, 90), f64::powi(2.0, 600));
    let down = e.c2(f64::powi(2.0, -30), f64::powi(2.0, -200));
    let s = e.select(tiny, e.mul(a, up), a);
    let r = inverse_cbrt(e, s);
    let rr = e.mul(r, r);
    let y = e.mul(s, rr);
    let (square, error) = e.two_product(y, y);
    let residue = e.fnma(error, y, e.fnma(square, y, s));
    let y = e.fma(residue, e.mul(rr, e.f(E::Kind::float(1.0 / 3.0))), y);
    let y = e.select(tiny, e.mul(y, down), y);
    e.copysign(e.select(e.lt(a, e.inf()), y, a), x)
}

/// sqrt(x^2 + y^2) without intermediate overflow or underflow. The result is infinite if x or y is infinite
/// (C, F.10.4.3).
pub fn hypot<E: Emit>(e: &E, x: E::F, y: E::F) -> E::F {
    let (a, b) = (e.abs(x), e.abs(y));
    let swap = e.lt(a, b);
    let (large, small) = (e.select(swap, b, a), e.select(swap, a, b));
    let big = e.lt(e.c2(f64::powi(2.0, 62), f64::powi(2.0, 500)), large);
    let tiny = e.lt(large, e.c2(f64::powi(2.0, -50), f64::powi(2.0, -450)));
    let three = |b: E::F, t: E::F| e.select(big, b, e.select(tiny, t, e.c(1.0)));
    let scale = three(e.c2(f64::powi(2.0, -66), f64::powi(2.0, -600)), e.c2(f64::powi(2.0, 90), f64::powi(2.0, 650)));
    let back = three(e.c2(f64::powi(2.0, 66), f64::powi(2.0, 600)), e.c2(f64::powi(2.0, -90), f64::powi(2.0, -650)));
    let (l, s) = (e.mul(large, scale), e.mul(small, scale));
    let root = e.mul(e.sqrt(e.near_fma(l, l, e.mul(s, s))), back);
    let infinite = e.or(e.eq(large, e.inf()), e.eq(small, e.inf()));
    e.select(infinite, e.inf(), root)
}
