//! Inverse trigonometric functions: asin, acos, atan, atan2.

use crate::emit::Emit;
use crate::hyperbolic::odd;
use crate::steps::Steps;
use crate::tables::Tables;

/// Returns (s, s^3 P(s^2), near), where s + s^3 P(s^2) = asin(s), and near is |x| <= 1/2. If near is true, s = |x|.
/// If near is false, s = sqrt((1 - |x|)/2) and asin(|x|) = pi/2 - 2 asin(s), by the half-angle formula. The
/// result is NaN if |x| is greater than 1. The difference 1 - |x| is exact.
fn half_angle<E: Emit>(e: &E, a: E::F) -> (E::F, E::F, E::B) {
    let half = e.c(0.5);
    let near = e.le(a, half);
    let square = e.select(near, e.mul(a, a), e.near_fnma(a, half, half));
    let s = e.select(near, a, e.sqrt(square));
    (s, e.mul(e.mul(s, square), e.poly(square, E::Kind::ASIN)), near)
}

/// asin(x)
pub fn asin<E: Emit>(e: &E, x: E::F) -> E::F {
    let (s, cubic, near) = half_angle(e, e.abs(x));
    let minus_two = e.c(-2.0);
    let head = e.near_fma(minus_two, s, e.f(E::Kind::FRAC_PI_2_HI));
    let far = e.add(head, e.near_fma(minus_two, cubic, e.f(E::Kind::FRAC_PI_2_LO)));
    e.copysign(e.select(near, e.add(s, cubic), far), x)
}

/// acos(x), computed as pi/2 - asin(x) near 0, as 2 asin(s) near 1, and as pi - 2 asin(s) near -1.
pub fn acos<E: Emit>(e: &E, x: E::F) -> E::F {
    let (s, cubic, near) = half_angle(e, e.abs(x));
    let negative = e.lt(x, e.c(0.0));
    let zero = e.c(0.0);
    let base = |turn, quarter| e.select(near, e.f(quarter), e.select(negative, e.f(turn), zero));
    let high = base(E::Kind::PI_HI, E::Kind::FRAC_PI_2_HI);
    let low = base(E::Kind::PI_LO, E::Kind::FRAC_PI_2_LO);
    let factor = e.copysign(e.select(near, e.c(1.0), e.c(2.0)), e.select(near, e.neg(x), x));
    e.add(e.near_fma(factor, s, high), e.near_fma(factor, cubic, low))
}

/// atan(t) for 0 <= t <= 1, or pi/2 - atan(t) if `flipped` is true.
fn octants<E: Emit>(e: &E, t: E::F, flipped: E::B) -> E::F {
    let angle = odd(e, t, E::Kind::ATAN);
    let other = e.sub(e.f(E::Kind::FRAC_PI_2_HI), e.sub(angle, e.f(E::Kind::FRAC_PI_2_LO)));
    e.select(flipped, other, angle)
}

/// atan(x). For |x| > 1 the function uses atan(x) = pi/2 - atan(1/x).
pub fn atan<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let one = e.c(1.0);
    let flipped = e.lt(one, a);
    e.copysign(octants(e, e.select(flipped, e.div(one, a), a), flipped), x)
}

/// The angle of the point (x, y): atan2(y, x), with C's results for zeros and infinities.
pub fn atan2<E: Emit>(e: &E, y: E::F, x: E::F) -> E::F {
    let (a, b) = (e.abs(x), e.abs(y));
    let flipped = e.lt(a, b);
    let (large, small) = (e.select(flipped, b, a), e.select(flipped, a, b));
    // The point of a quotient 0/0 is replaced by a point on the axis. The point of inf/inf is replaced by a point on
    // the diagonal.
    let one = e.c(1.0);
    let t = e.div(small, e.select(e.eq(large, e.c(0.0)), one, large));
    let both = e.and(e.eq(small, e.inf()), e.eq(large, e.inf()));
    let t = e.select(both, one, t);
    let angle = octants(e, t, flipped);
    // The sign bit is tested, so that x = -0 is on the left.
    let left = e.ilt(e.bits(x), e.k(0));
    let across = e.sub(e.f(E::Kind::PI_HI), e.sub(angle, e.f(E::Kind::PI_LO)));
    e.copysign(e.select(left, across, angle), y)
}
