//! What an `f32` function should be: the host's `f64` one, some 2^-28 ULP of `f32` from the exact value.

use super::erf;
use crate::function::Unary;

/// How a function answers a change of sign, so that a reference value serves twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// f(-x) = -f(x)
    Odd,
    /// f(-x) = f(x)
    Even,
    /// Neither.
    None,
}

/// Its symmetry.
pub fn symmetry(f: Unary) -> Symmetry {
    match f {
        Unary::Sin | Unary::Tan | Unary::Sinh | Unary::Tanh | Unary::Erf => Symmetry::Odd,
        Unary::Cos | Unary::Cosh => Symmetry::Even,
        _ => Symmetry::None,
    }
}

/// The function of one operand in `f64`.
pub fn unary(f: Unary) -> fn(f64) -> f64 {
    match f {
        Unary::Exp => f64::exp,
        Unary::Exp2 => f64::exp2,
        Unary::Exp10 => |x| 10f64.powf(x),
        Unary::Expm1 => f64::exp_m1,
        Unary::Log => f64::ln,
        Unary::Log2 => f64::log2,
        Unary::Log10 => f64::log10,
        Unary::Log1p => f64::ln_1p,
        Unary::Sin => f64::sin,
        Unary::Cos => f64::cos,
        Unary::Tan => f64::tan,
        Unary::Sinh => f64::sinh,
        Unary::Cosh => f64::cosh,
        Unary::Tanh => f64::tanh,
        Unary::Erf => erf::erf,
    }
}
