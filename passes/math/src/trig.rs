//! Sine, cosine and tangent of any finite angle.

use crate::emit::Emit;
use crate::format::Format;
use crate::reduce::{Angle, reduce};
use crate::steps::Steps;
use crate::tables::Tables;

/// sin(r + low) = r + (r^3 P(r^2) + low cos(r)). Because low is very small, the approximation cos(r) = 1 - r^2/2
/// suffices.
fn sin_kernel<E: Emit>(e: &E, a: &Angle<E>, square: E::F, half: E::F) -> E::F {
    let cubic = e.mul(e.mul(square, a.high), e.poly(square, E::Kind::SIN));
    let low = e.near_fnma(a.low, half, a.low);
    e.add(a.high, e.add(cubic, low))
}

/// cos(r + low) = 1 - r^2/2 + (r^4 Q(r^2) - r low). The function corrects the rounding error of 1 - r^2/2.
fn cos_kernel<E: Emit>(e: &E, a: &Angle<E>, square: E::F, half: E::F) -> E::F {
    let one = e.c(1.0);
    let head = e.sub(one, half);
    let error = e.sub(e.sub(one, head), half);
    let low = e.near_fnma(a.high, a.low, error);
    e.add(head, e.near_fma(e.mul(square, square), e.poly(square, E::Kind::COS), low))
}

/// (sin, cos) of the reduced angle, without the quadrant.
fn kernels<E: Emit>(e: &E, a: &Angle<E>) -> (E::F, E::F) {
    let square = e.mul(a.high, a.high);
    let half = e.mul(square, e.c(0.5));
    (sin_kernel(e, a, square, half), cos_kernel(e, a, square, half))
}

fn bit<E: Emit>(e: &E, quadrant: E::I, bit: i64) -> E::B {
    e.ieq(e.iand(quadrant, e.k(1 << bit)), e.k(0))
}

/// Returns y for finite |x|, and NaN otherwise.
fn finite<E: Emit>(e: &E, a: E::F, y: E::F) -> E::F {
    e.select(e.lt(a, e.inf()), y, e.nan())
}

/// Returns v, with the sign flipped if bit 1 of the quadrant is set.
fn sign_of_half_turn<E: Emit>(e: &E, v: E::F, quadrant: E::I) -> E::F {
    let up = e.k(<E::Kind as Format>::WIDTH - 2);
    let sign = e.shl(e.iand(quadrant, e.k(2)), up);
    e.of_bits(e.ixor(e.bits(v), sign))
}

/// sin(x)
pub fn sin<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let angle = reduce(e, a);
    let (s, c) = kernels(e, &angle);
    let y = sign_of_half_turn(e, e.select(bit(e, angle.quadrant, 0), s, c), angle.quadrant);
    // The sine is odd: the result has the sign of x as a factor.
    let sign = e.iand(e.bits(x), e.bits(e.c(-0.0)));
    finite(e, a, e.of_bits(e.ixor(e.bits(y), sign)))
}

/// cos(x) = sin(x + pi/2)
pub fn cos<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let angle = reduce(e, a);
    let (s, c) = kernels(e, &angle);
    let quadrant = e.iadd(angle.quadrant, e.k(1));
    finite(e, a, sign_of_half_turn(e, e.select(bit(e, quadrant, 0), s, c), quadrant))
}

/// tan(x) = sin/cos, and -cos/sin in odd quadrants
pub fn tan<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let angle = reduce(e, a);
    let (s, c) = kernels(e, &angle);
    let even = bit(e, angle.quadrant, 0);
    let y = e.div(e.select(even, s, c), e.select(even, c, e.neg(s)));
    let sign = e.iand(e.bits(x), e.bits(e.c(-0.0)));
    finite(e, a, e.of_bits(e.ixor(e.bits(y), sign)))
}
