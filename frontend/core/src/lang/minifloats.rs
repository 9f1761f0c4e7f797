//! Float types without a Rust equivalent.
#![allow(non_camel_case_types)]

mod flex32_float;

use super::elements::{CubeElement, number};
use super::math::Scalar;
use super::value::{CubePrimitive, CubeType, Operand, Val};
use crate::ir::{Elem, Lit, StorageType};
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

/// A storage type: two numbers of type `e2m1` in one byte. The first number is in the lower four bits. In a kernel, a cast
/// converts a line of `n` numbers to a line of `n / 2` pairs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct e2m1x2(u8);

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

number! {
    e2m1x2, U8, |v| Lit::Int(v.0.into()), |lit| lit.int().map(|bits| e2m1x2(bits as u8));
    packing_factor() -> u32 { 2 }
    as_type_native_unchecked() -> StorageType { StorageType::Packed(Elem::E2M1.into(), 2) }
}

impl CubeElement for e2m1x2 {
    fn type_name() -> &'static str {
        "e2m1x2"
    }
    fn as_bytes(slice: &[Self]) -> &[u8] {
        bytemuck::cast_slice(slice)
    }
    #[track_caller]
    fn from_bytes(bytes: &[u8]) -> &[Self] {
        super::elements::elements_of(bytes, "e2m1x2")
    }
    fn maximum_value() -> Self {
        e2m1x2::from_f32_slice(&[e2m1::MAX.to_f32(); 2])[0]
    }
    fn minimum_value() -> Self {
        e2m1x2::from_f32_slice(&[e2m1::MIN.to_f32(); 2])[0]
    }
}

impl e2m1x2 {
    /// The pair with these bits.
    pub const fn from_bits(bits: u8) -> Self {
        e2m1x2(bits)
    }
    /// The bits of both numbers.
    pub const fn to_bits(self) -> u8 {
        self.0
    }
    /// Rounds numbers to pairs. The last pair of an odd number of values ends with zero.
    pub fn from_f32_slice(values: &[f32]) -> Vec<Self> {
        let bits = |value: Option<&f32>| value.map_or(0, |value| e2m1::from_f32(*value).to_bits() & 0xf);
        values.chunks(2).map(|pair| e2m1x2(bits(pair.first()) | bits(pair.get(1)) << 4)).collect()
    }
    /// Both numbers.
    pub fn to_f32(self) -> [f32; 2] {
        [self.0 & 0xf, self.0 >> 4].map(|bits| e2m1::from_bits(bits).to_f32())
    }
}

impl fmt::Debug for e2m1x2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.to_f32();
        f.debug_tuple("e2m1x2").field(&first).field(&second).finish()
    }
}

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
        /// The constants of `flex32`, which equal the constants of `f32` except [`flex32::EPSILON`].
        #[allow(missing_docs)]
        impl flex32 {
            /// The distance from 1 to the next number of `f16`, the smallest format in which a device can store the value.
            pub const EPSILON: flex32 = flex32(half::f16::EPSILON.to_f32_const());
            $(pub const $name: flex32 = flex32(f32::$name);)*
            $(pub const $number: $ty = f32::$number;)*
        }
    };
}

constants! {
    INFINITY MAX MIN MIN_POSITIVE NAN NEG_INFINITY;
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
