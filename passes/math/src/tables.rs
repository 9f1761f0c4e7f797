//! The constants of each float format. `tools/minimax.py` derives the constants and writes `single.rs`, `double.rs`
//! and `short.rs`. No constant is copied from another library. `_HI` and `_LO` are the two parts of a number.
//! Coefficients of polynomials are in ascending order.

mod double;
mod short;
mod single;

use crate::format::{Double, Format, Short, Single};

macro_rules! tables {
    (floats: $($(#[doc = $fd:literal])* $float:ident),+; polynomials: $($(#[doc = $pd:literal])* $poly:ident),+;) => {
        /// The constants of a format.
        pub trait Tables: Format {
            $($(#[doc = $fd])* const $float: Self::Float;)+
            /// 2/pi as words, most significant first, aligned for the reduction in `reduce.rs`
            const TWO_OVER_PI: &'static [Self::Int];
            $($(#[doc = $pd])* const $poly: &'static [Self::Float];)+
        }
    };
}

tables! {
    floats:
        /// ln(2), short enough for an exact product with any exponent
        LN2_HI,
        /// the low part of ln(2)
        LN2_LO,
        /// log2(10)
        LOG2_10,
        /// log10(2), short enough for an exact product with any exponent
        LOG10_2_HI,
        /// the low part of log10(2)
        LOG10_2_LO,
        /// log10(e), rounded
        LOG10_E_HI,
        /// the low part of [`Tables::LOG10_E_HI`]
        LOG10_E_LO,
        /// log2(e), rounded
        LOG2_E_HI,
        /// the low part of [`Tables::LOG2_E_HI`]
        LOG2_E_LO,
        /// pi, rounded
        PI_HI,
        /// the low part of [`Tables::PI_HI`]
        PI_LO,
        /// pi / 2, rounded
        FRAC_PI_2_HI,
        /// the low part of pi / 2
        FRAC_PI_2_LO,
        /// the lower centre of the logarithm of `pow`, near 2^(-1/3)
        POW_DOWN,
        /// log2 of [`Tables::POW_DOWN`], short enough for an exact sum with any exponent
        LOG2_POW_DOWN_HI,
        /// the low part of [`Tables::LOG2_POW_DOWN_HI`]
        LOG2_POW_DOWN_LO,
        /// the upper centre, near 2^(1/3)
        POW_UP,
        /// log2 of [`Tables::POW_UP`], short enough for an exact sum with any exponent
        LOG2_POW_UP_HI,
        /// the low part of [`Tables::LOG2_POW_UP_HI`]
        LOG2_POW_UP_LO;
    polynomials:
        /// (e^r - 1 - r) / r^2
        EXP,
        /// (2^r - 1) / r
        EXP2,
        /// (10^r - 1) / r
        EXP10,
        /// (log(1 + f) - f) / f^2
        LOG,
        /// (log2(1 + f) - f) / f
        LOG2,
        /// log10(1 + f) / f - LOG10_E_HI
        LOG10,
        /// (sin(r) - r) / r^3 of r^2
        SIN,
        /// (cos(r) - 1 + r^2 / 2) / r^4 of r^2
        COS,
        /// (tanh(x) - x) / x^3 of x^2
        TANH,
        /// the polynomial of [`Tables::TANH`] on a wider interval
        TANH_WIDE,
        /// (sinh(x) - x) / x^3 of x^2
        SINH,
        /// (atan(x) - x) / x^3 of x^2
        ATAN,
        /// (asin(x) - x) / x^3 of x^2
        ASIN,
        /// (erf(x) - x) / x of x^2
        ERF,
        /// log2(erfc(x))
        ERF_TAIL,
        /// erfc(x)^(1/8) of x^2
        ERFC_ROOT,
        /// e^(x^2) erfc(x) / t, as a polynomial in t = 1 / (1 + x/2)
        ERFC,
        /// (log2((1 + s) / (1 - s)) - 2 log2(e) s) / s^3 of s^2
        POW;
}
