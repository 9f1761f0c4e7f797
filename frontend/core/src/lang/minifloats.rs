//! Float types without a Rust equivalent.
#![allow(non_camel_case_types)]
use super::elements::{CubeElement, number};
use super::math::Scalar;
use super::value::{CubePrimitive, CubeType, Operand, Val};
use crate::ir::{Elem, Lit};
use bytemuck::{Pod, Zeroable};
use std::fmt;
use std::ops::*;

/// A float of at least 16 bits. A kernel computes with `f32`, but a device can store the value in fewer bits.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub struct flex32(f32);

/// A storage type: an `f32` whose explicit mantissa has 10 bits.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub struct tf32(f32);

pub use cube_runtime::floats::*;

/// Float types that support arithmetic and have no Rust equivalent.
pub mod computed {
    pub use super::flex32;
    pub use cube_runtime::floats::computed::*;
}

/// Implements the one-byte storage types of `targets/src/element.rs`.
macro_rules! bytes {
    ($($group:ident { $($elem:ident $ty:ident $element:ident $host:ident $how:ident;)* })*) => {
        $($(bytes!(@ $how $elem $ty);)*)*
    };
    (@ byte $elem:ident $ty:ident) => {
        small!($ty $elem, $ty::MAX.to_f32(), $ty::MIN.to_f32(), |v| v.to_f32(), $ty::from_f32);
    };
    (@ $how:ident $elem:ident $ty:ident) => {};
}

macro_rules! small {
    ($ty:ident $elem:ident, $most:expr, $least:expr, $to:expr, $from:expr) => {
        number! {
            $ty, $elem,
            |v| {
                let to: fn($ty) -> f32 = $to;
                Lit::Float(f64::from(to(v)))
            },
            |lit| {
                let from: fn(f32) -> $ty = $from;
                match lit {
                    Lit::Float(v) => Some(from(v as f32)),
                    _ => None,
                }
            };
        }
        impl CubeElement for $ty {
            fn as_bytes(slice: &[Self]) -> &[u8] {
                bytemuck::cast_slice(slice)
            }
            #[track_caller]
            fn from_bytes(bytes: &[u8]) -> &[Self] {
                super::elements::elements_of(bytes, stringify!($ty))
            }
            fn maximum_value() -> Self {
                let from: fn(f32) -> $ty = $from;
                from($most)
            }
            fn minimum_value() -> Self {
                let from: fn(f32) -> $ty = $from;
                from($least)
            }
        }
    };
}

macro_rules! shown {
    ($ty:ident, $to:expr) => {
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let to: fn($ty) -> f32 = $to;
                fmt::Debug::fmt(&to(*self), f)
            }
        }
        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let to: fn($ty) -> f32 = $to;
                fmt::Display::fmt(&to(*self), f)
            }
        }
    };
}

cube_target::numbers!(bytes);
small!(flex32 Flex32, f32::MAX, f32::MIN, |v| v.0, flex32);
small!(tf32 TF32, f32::MAX, f32::MIN, |v| v.0, tf32::from_f32);
shown!(flex32, |v| v.0);
shown!(tf32, |v| v.0);

impl tf32 {
    /// Rounds the number to a 10-bit mantissa, to nearest even.
    pub fn from_f32(value: f32) -> Self {
        if !value.is_finite() {
            return tf32(value);
        }
        let bits = value.to_bits();
        let even = 0xfff + (bits >> 13 & 1);
        tf32(f32::from_bits(bits.wrapping_add(even) & !0x1fff))
    }
    /// Converts the value to `f32`.
    pub const fn to_f32(self) -> f32 {
        self.0
    }
}

impl flex32 {
    /// Wraps an `f32`.
    pub const fn from_f32(value: f32) -> Self {
        flex32(value)
    }
    /// Converts the value to `f32`.
    pub const fn to_f32(self) -> f32 {
        self.0
    }
}

macro_rules! constants {
    ($($name:ident)*; $($number:ident: $ty:ty)*) => {
        /// The constants of `flex32`, which equal the constants of `f32`.
        #[allow(missing_docs)]
        impl flex32 {
            $(pub const $name: flex32 = flex32(f32::$name);)*
            $(pub const $number: $ty = f32::$number;)*
        }
    };
}

constants! {
    EPSILON INFINITY MAX MIN MIN_POSITIVE NAN NEG_INFINITY;
    DIGITS: u32 MANTISSA_DIGITS: u32 RADIX: u32 MAX_10_EXP: i32 MAX_EXP: i32 MIN_10_EXP: i32 MIN_EXP: i32
}

impl Scalar for flex32 {
    fn to_scalar(self) -> cube_runtime::Scalar {
        cube_runtime::Scalar::F32(self.0)
    }
}

macro_rules! arithmetic {
    ($($trait:ident $name:ident $assign:ident $assign_name:ident;)*) => {$(
        impl $trait for flex32 {
            type Output = flex32;
            fn $name(self, other: flex32) -> flex32 {
                flex32(self.0.$name(other.0))
            }
        }
        impl $assign for flex32 {
            fn $assign_name(&mut self, other: flex32) {
                self.0.$assign_name(other.0);
            }
        }
    )*};
}

arithmetic! {
    Add add AddAssign add_assign; Sub sub SubAssign sub_assign; Mul mul MulAssign mul_assign; Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}

impl Neg for flex32 {
    type Output = flex32;
    fn neg(self) -> flex32 {
        flex32(-self.0)
    }
}

impl num_traits::ToPrimitive for flex32 {
    fn to_i64(&self) -> Option<i64> {
        self.0.to_i64()
    }
    fn to_u64(&self) -> Option<u64> {
        self.0.to_u64()
    }
    fn to_f64(&self) -> Option<f64> {
        Some(f64::from(self.0))
    }
}

impl num_traits::NumCast for flex32 {
    fn from<T: num_traits::ToPrimitive>(value: T) -> Option<Self> {
        value.to_f32().map(flex32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tf32_keeps_ten_bits() {
        assert_eq!(tf32::from_f32(1.0 + 2f32.powi(-10)).to_f32(), 1.0 + 2f32.powi(-10));
        assert_eq!(tf32::from_f32(1.0 + 2f32.powi(-11)).to_f32(), 1.0);
    }
}
