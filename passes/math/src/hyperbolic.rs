//! Hyperbolic functions: tanh, sinh, cosh.

use crate::emit::Emit;
use crate::exp::exp_scaled;
use crate::format::Format;
use crate::steps::{Float, Steps};
use crate::tables::Tables;

/// The odd polynomial x + x^3 p(x^2)
pub(crate) fn odd<E: Emit>(e: &E, x: E::F, p: &[Float<E>]) -> E::F {
    let square = e.mul(x, x);
    e.near_fma(e.mul(x, square), e.poly(square, p), x)
}

/// tanh(x) = 1 - 2 / (e^(2x) + 1) by two approximate instructions; `None` if the target lacks one of them. No operand
/// requires a bound: the result is 1 for infinite powers, and -1 for powers of 0.
fn tanh_by_instructions<E: Emit>(e: &E, x: E::F) -> Option<E::F> {
    if !e.has_near_inverse() || !e.has_near_exp2() {
        return None;
    }
    let exponent = e.mul(x, e.c(2.0 * E::Kind::LOG2_E_HI.into()));
    let inverse = e.near_inverse(e.add(e.near_exp2(exponent), e.c(1.0)));
    Some(e.near_fma(inverse, e.c(-2.0), e.c(1.0)))
}

/// tanh(x) = 1 - 2 / (e^(2x) + 1). For |x| below 0.625, where the difference cancels, the function uses x +
/// x^3 p(x^2).
///
/// With approximate instructions, the interval of the polynomial depends on the errors that Emit permits for them. In f32,
/// an error of 3 ULP of the power is less than 1.3 ULP of the result from 1.25 on. In a short format, the absolute error
/// of the difference, below 2^-21, is less than 0.1 ULP of the result from 2^-6 on, and tanh(x) is x below.
///
/// The interval of the polynomial also ends at 1.25 for a division with an error of up to 3 ULP. The quotient is below 0.152
/// from 1.25 on, so that this error is at most 0.75 ULP of the result. From 0.625 on, it would be 1.5 ULP.
pub fn tanh<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    if E::Kind::PRECISION <= 11 {
        if let Some(large) = tanh_by_instructions(e, x) {
            return e.select(e.lt(a, e.two(-6)), x, large);
        }
    } else if let Some(large) = tanh_by_instructions(e, a) {
        let small = odd(e, a, E::Kind::TANH_WIDE);
        return e.copysign(e.select(e.lt(a, e.c(1.25)), small, large), x);
    }
    // The operand of an inexact division must be at most 2^126. For operands above 32 the result is 1.
    let (start, terms) = match e.has_inexact_quotients() {
        true => (1.25, E::Kind::TANH_WIDE),
        false => (0.625, E::Kind::TANH),
    };
    let small = odd(e, a, terms);
    let double = e.add(a, a);
    let double = if e.has_inexact_quotients() { e.at_most(double, e.c(64.0)) } else { double };
    let power = exp_scaled(e, double, 0);
    let large = e.sub(e.c(1.0), e.div(e.c(2.0), e.add(power, e.c(1.0))));
    e.copysign(e.select(e.lt(a, e.c(start)), small, large), x)
}

/// With h = e^|x| / 2, cosh(x) = h + 1/(4h) and sinh(|x|) = h - 1/(4h). The function returns h and 1/(4h).
fn half_exp<E: Emit>(e: &E, a: E::F) -> (E::F, E::F) {
    let h = exp_scaled(e, a, -1);
    (h, e.div(e.c(0.25), h))
}

/// sinh(x). For |x| below 1, where the difference cancels, the function uses x + x^3 p(x^2).
pub fn sinh<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let small = odd(e, a, E::Kind::SINH);
    let (h, quarter) = half_exp(e, a);
    e.copysign(e.select(e.lt(a, e.c(1.0)), small, e.sub(h, quarter)), x)
}

/// cosh(x)
pub fn cosh<E: Emit>(e: &E, x: E::F) -> E::F {
    let (h, quarter) = half_exp(e, e.abs(x));
    e.add(h, quarter)
}
