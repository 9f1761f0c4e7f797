//! The float formats of the algorithms.

/// A binary float format and the integer of the same width.
pub trait Format: Copy + 'static {
    /// The host float type that represents constants exactly (`f32`, `f64`).
    type Float: Copy + core::fmt::Debug + Into<f64> + 'static;
    /// The host integer with the width of the float (`i32`, `i64`).
    type Int: Copy + core::fmt::Debug + Into<i64> + 'static;
    /// Width in bits.
    const WIDTH: i64;
    /// The number of stored significand bits (precision less one).
    const MANTISSA: i64;
    /// The number of significant bits of the final result.
    const PRECISION: i64 = Self::MANTISSA + 1;
    /// Exponent bias, which is also the largest exponent.
    const BIAS: i64;
    /// `v` in the format; only for constants that are exact in the format.
    fn float(v: f64) -> Self::Float;
    /// `v` as the integer, wrapping.
    fn int(v: i64) -> Self::Int;
}

/// IEEE binary32.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// IEEE binary64.
#[derive(Clone, Copy, Debug)]
pub struct Double;

/// IEEE binary32 for results that are later rounded to f16 or bf16. At most 11 bits of the result are significant.
#[derive(Clone, Copy, Debug)]
pub struct Short;

impl Format for Short {
    type Float = f32;
    type Int = i32;
    const WIDTH: i64 = Single::WIDTH;
    const MANTISSA: i64 = Single::MANTISSA;
    const PRECISION: i64 = 11;
    const BIAS: i64 = Single::BIAS;
    fn float(v: f64) -> f32 {
        Single::float(v)
    }
    fn int(v: i64) -> i32 {
        Single::int(v)
    }
}

impl Format for Single {
    type Float = f32;
    type Int = i32;
    const WIDTH: i64 = 32;
    const MANTISSA: i64 = 23;
    const BIAS: i64 = 127;
    fn float(v: f64) -> f32 {
        v as f32
    }
    fn int(v: i64) -> i32 {
        v as i32
    }
}

impl Format for Double {
    type Float = f64;
    type Int = i64;
    const WIDTH: i64 = 64;
    const MANTISSA: i64 = 52;
    const BIAS: i64 = 1023;
    fn float(v: f64) -> f64 {
        v
    }
    fn int(v: i64) -> i64 {
        v
    }
}
