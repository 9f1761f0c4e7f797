//! The reference of an `f32` function is the host's `f64` function. The error of the reference is about 2^-28
//! ULP of `f32`.

use super::{angle, erf};
use crate::function::{Binary, Unary};

/// The symmetry of a function under a change of sign. Because of the symmetry, one reference value suffices
/// for both signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// f(-x) = -f(x)
    Odd,
    /// f(-x) = f(x)
    Even,
    /// No symmetry.
    None,
}

/// The symmetry of a function.
pub fn symmetry(f: Unary) -> Symmetry {
    match f {
        Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan | Unary::Erf | Unary::Cbrt => Symmetry::Odd,
        Unary::Sinh | Unary::Tanh | Unary::Asinh | Unary::Atanh => Symmetry::Odd,
        Unary::Trunc | Unary::RoundEven | Unary::RoundAway => Symmetry::Odd,
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
        Unary::Sin => angle::sin,
        Unary::Cos => angle::cos,
        Unary::Tan => angle::tan,
        Unary::Sinh => f64::sinh,
        Unary::Cosh => f64::cosh,
        Unary::Tanh => f64::tanh,
        Unary::Asin => f64::asin,
        Unary::Acos => f64::acos,
        Unary::Atan => f64::atan,
        Unary::Asinh => f64::asinh,
        Unary::Acosh => f64::acosh,
        Unary::Atanh => f64::atanh,
        Unary::Erf => erf::erf,
        Unary::Erfc => erf::erfc,
        Unary::Cbrt => f64::cbrt,
        Unary::Rsqrt => |x| 1.0 / x.sqrt(),
        Unary::Floor => f64::floor,
        Unary::Ceil => f64::ceil,
        Unary::Trunc => f64::trunc,
        Unary::RoundEven => f64::round_ties_even,
        Unary::RoundAway => f64::round,
    }
}

/// The function of two operands in `f64`.
pub fn binary(f: Binary) -> fn(f64, f64) -> f64 {
    match f {
        Binary::Atan2 => f64::atan2,
        Binary::Pow => f64::powf,
        Binary::Hypot => f64::hypot,
        Binary::Fmod => |x, y| x % y,
        Binary::FloorRem => floor_rem,
    }
}

fn floor_rem(x: f64, y: f64) -> f64 {
    let r = x % y;
    if r == 0.0 {
        r.copysign(y)
    } else if r.is_sign_negative() != y.is_sign_negative() {
        r + y
    } else {
        r
    }
}
