//! Rounding of floats to integers, for targets without a rounding instruction. All functions are exact and keep
//! the sign of zero.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::Steps;

/// The limit 2^mantissa: all larger floats are integers.
fn all_integers<E: Emit>(e: &E) -> E::F {
    e.two(<E::Kind as Format>::MANTISSA as i32)
}

/// The integer nearest to |x|. The function adds 2^mantissa, so the sum has no fraction bits.
fn nearest_magnitude<E: Emit>(e: &E, a: E::F) -> E::F {
    let big = all_integers(e);
    e.sub(e.add(a, big), big)
}

/// The value of y with the sign of `x`. The result is x if x is NaN, infinite or so large that it is an
/// integer.
fn finish<E: Emit>(e: &E, x: E::F, y: E::F) -> E::F {
    e.select(e.lt(e.abs(x), all_integers(e)), e.copysign(y, x), x)
}

/// Returns 1 if c is true, and 0 otherwise.
fn one_if<E: Emit>(e: &E, c: E::B) -> E::F {
    e.select(c, e.c(1.0), e.c(0.0))
}

fn trunc_magnitude<E: Emit>(e: &E, a: E::F) -> E::F {
    let t = nearest_magnitude(e, a);
    e.sub(t, one_if(e, e.lt(a, t)))
}

/// The nearest integer, ties to even.
pub fn round_even<E: Emit>(e: &E, x: E::F) -> E::F {
    finish(e, x, nearest_magnitude(e, e.abs(x)))
}

/// The nearest integer, ties away from zero.
pub fn round_away<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let t = trunc_magnitude(e, a);
    finish(e, x, e.add(t, one_if(e, e.le(e.c(0.5), e.sub(a, t)))))
}

/// The integer part.
pub fn trunc<E: Emit>(e: &E, x: E::F) -> E::F {
    finish(e, x, trunc_magnitude(e, e.abs(x)))
}

/// The largest integer not above x.
pub fn floor<E: Emit>(e: &E, x: E::F) -> E::F {
    let t = e.copysign(nearest_magnitude(e, e.abs(x)), x);
    finish(e, x, e.sub(t, one_if(e, e.lt(x, t))))
}

/// The smallest integer not below x.
pub fn ceil<E: Emit>(e: &E, x: E::F) -> E::F {
    let t = e.copysign(nearest_magnitude(e, e.abs(x)), x);
    finish(e, x, e.add(t, one_if(e, e.lt(t, x))))
}
