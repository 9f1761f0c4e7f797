//! Float types that Rust does not have, from the crate `half` or defined in this crate (rows `own8`, `own16`
//! and `byte` of `cube_target::numbers!`). Arithmetic operations compute in `f64` and round once, as in
//! `cube_semantics`.
#![allow(non_camel_case_types)]
use bytemuck::{Pod, Zeroable};
use cube_target::{Element, Format};
pub use half::{bf16, f16};

/// The float types that have arithmetic operations.
pub mod computed {
    pub use half::{bf16, f16};
    macro_rules! reexport {
        ($($group:ident { $($elem:ident $ty:ident $element:ident $host:ident $how:ident;)* })*) => {
            $($(reexport! { @ $how $ty })*)*
        };
        (@ own8 $ty:ident) => { pub use super::$ty; };
        (@ own16 $ty:ident) => { pub use super::$ty; };
        (@ $how:ident $ty:ident) => {};
    }
    cube_target::numbers! { reexport }
}

macro_rules! stored {
    ($ty:ident $bits:ident $element:ident, $what:literal) => {
        #[doc = concat!("The float [`Element::", stringify!($element), "`] in a `", stringify!($bits), "`: ", $what, ".")]
        #[derive(Clone, Copy, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $ty($bits);

        impl $ty {
            const FORMAT: Format = match Element::$element.format() {
                Some(format) => format,
                None => panic!("the table declares a float"),
            };
            /// The largest finite number.
            pub const MAX: Self = $ty(Self::FORMAT.most() as $bits);
            /// The smallest finite number.
            pub const MIN: Self = $ty(Self::FORMAT.least() as $bits);
            /// The number of this type that is nearest to `value`. If two numbers are equally near to
            /// `value`, the result is the number with an even last bit. A scale factor rounds up.
            pub fn from_f32(value: f32) -> Self {
                Self::from_f64(value.into())
            }
            /// The number of this type that is nearest to `value`. If two numbers are equally near to
            /// `value`, the result is the number with an even last bit. An overflow gives infinity, or NaN if
            /// the format has no infinity. A format without NaN, and the format of scale factors, give the largest
            /// number. A scale factor rounds up, and the smallest scale factor replaces smaller numbers.
            pub fn from_f64(value: f64) -> Self {
                let format = Self::FORMAT;
                let is_negative_nan = value.is_nan() && value.is_sign_negative();
                let has_negative_nan = format.is_signed() && format.beyond() < format.sign();
                let sign = if is_negative_nan && has_negative_nan { format.sign() } else { 0 };
                $ty((format.convert(value) | sign) as $bits)
            }
            /// The exact number.
            pub fn to_f32(self) -> f32 {
                self.to_f64() as f32
            }
            /// The exact number.
            pub fn to_f64(self) -> f64 {
                Self::FORMAT.decode(self.0.into())
            }
            /// Whether the number is NaN.
            pub fn is_nan(self) -> bool {
                self.to_f64().is_nan()
            }
            /// The number whose bits are `bits`. The bits above the width of the format are ignored.
            pub const fn from_bits(bits: $bits) -> Self {
                $ty(bits)
            }
            /// The bits of the number.
            pub const fn to_bits(self) -> $bits {
                self.0
            }
        }

        impl std::fmt::Debug for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.to_f32(), f)
            }
        }
        impl std::fmt::Display for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.to_f32(), f)
            }
        }
    };
}

// No row of the table `numbers!` has the kind `own8` or `own16` at present. The tests use this macro.
#[allow(unused_macros)]
macro_rules! computed {
    ($ty:ident $bits:ident $element:ident) => {
        stored!($ty $bits $element, "programs compute with it, in `f64` and rounded once");

        impl PartialEq for $ty {
            fn eq(&self, other: &Self) -> bool {
                self.to_f64() == other.to_f64()
            }
        }
        impl PartialOrd for $ty {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.to_f64().partial_cmp(&other.to_f64())
            }
        }

        /// Constants with the same names and meanings as the constants of `f32`.
        impl $ty {
            /// Number of decimal digits that the type represents without loss.
            pub const DIGITS: u32 = Self::FORMAT.fraction * 30103 / 100_000;
            /// The distance from 1 to the next number.
            pub const EPSILON: Self = $ty(Self::FORMAT.epsilon() as $bits);
            /// Infinity.
            pub const INFINITY: Self = $ty(Self::FORMAT.beyond() as $bits);
            /// Negative infinity.
            pub const NEG_INFINITY: Self = $ty((Self::FORMAT.beyond() | Self::FORMAT.sign()) as $bits);
            /// Number of binary digits of the significand, including the implicit digit.
            pub const MANTISSA_DIGITS: u32 = Self::FORMAT.fraction + 1;
            /// The exponent of the largest finite power of two, plus one.
            pub const MAX_EXP: i32 = Self::FORMAT.bias() + 1;
            /// The exponent of the smallest normal power of two, plus one.
            pub const MIN_EXP: i32 = 2 - Self::FORMAT.bias();
            /// The largest exponent of a finite power of ten.
            pub const MAX_10_EXP: i32 = Self::MAX_EXP * 30103 / 100_000;
            /// The smallest exponent of a normal power of ten.
            pub const MIN_10_EXP: i32 = (1 - Self::FORMAT.bias()) * 30103 / 100_000;
            /// The smallest positive normal number.
            pub const MIN_POSITIVE: Self = $ty(1 << Self::FORMAT.fraction);
            /// Not a number.
            pub const NAN: Self = $ty(Self::FORMAT.nan() as $bits);
            /// The base of the exponent, which is 2.
            pub const RADIX: u32 = 2;
            /// The number whose bytes are `bytes`, in the byte order of this machine.
            pub const fn from_ne_bytes(bytes: [u8; size_of::<$bits>()]) -> Self {
                $ty($bits::from_ne_bytes(bytes))
            }
            /// Whether the number is neither infinite nor NaN.
            pub fn is_finite(self) -> bool {
                self.to_f64().is_finite()
            }
        }

        computed! { @ $ty Add add AddAssign add_assign }
        computed! { @ $ty Sub sub SubAssign sub_assign }
        computed! { @ $ty Mul mul MulAssign mul_assign }
        computed! { @ $ty Div div DivAssign div_assign }
        computed! { @ $ty Rem rem RemAssign rem_assign }

        impl std::ops::Neg for $ty {
            type Output = $ty;
            fn neg(self) -> $ty {
                $ty(self.0 ^ Self::FORMAT.sign() as $bits)
            }
        }
        impl num_traits::ToPrimitive for $ty {
            fn to_i64(&self) -> Option<i64> {
                num_traits::ToPrimitive::to_i64(&(*self).to_f64())
            }
            fn to_u64(&self) -> Option<u64> {
                num_traits::ToPrimitive::to_u64(&(*self).to_f64())
            }
            fn to_f64(&self) -> Option<f64> {
                Some((*self).to_f64())
            }
        }
        impl num_traits::NumCast for $ty {
            fn from<T: num_traits::ToPrimitive>(value: T) -> Option<Self> {
                value.to_f64().map($ty::from_f64)
            }
        }
    };
    (@ $ty:ident $trait:ident $name:ident $assign:ident $assign_name:ident) => {
        impl std::ops::$trait for $ty {
            type Output = $ty;
            fn $name(self, other: $ty) -> $ty {
                $ty::from_f64(std::ops::$trait::$name(self.to_f64(), other.to_f64()))
            }
        }
        impl std::ops::$assign for $ty {
            fn $assign_name(&mut self, other: $ty) {
                *self = std::ops::$trait::$name(*self, other);
            }
        }
    };
}

macro_rules! rows {
    ($($group:ident { $($elem:ident $ty:ident $element:ident $host:ident $how:ident;)* })*) => {
        $($(rows! { @ $how $ty $element })*)*
    };
    (@ byte $ty:ident $element:ident) => {
        stored!($ty u8 $element, "loaded, stored and converted");
        impl PartialEq for $ty {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }
        impl Eq for $ty {}
    };
    (@ own8 $ty:ident $element:ident) => { computed!($ty u8 $element); };
    (@ own16 $ty:ident $element:ident) => { computed!($ty u16 $element); };
    (@ $how:ident $ty:ident $element:ident) => {};
}

cube_target::numbers! { rows }

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(dead_code)]
    mod made {
        use super::*;
        computed!(made8 u8 F8E5M2);
        computed!(made16 u16 F16);
        computed!(made_brain u16 BF16);
    }
    use made::*;

    #[test]
    fn eight_bit_floats_round_trip_through_f32() {
        for bits in 0..=255u8 {
            for (value, back) in [
                (e4m3::from_bits(bits).to_f32(), e4m3::from_f32(e4m3::from_bits(bits).to_f32()).to_bits()),
                (e5m2::from_bits(bits).to_f32(), e5m2::from_f32(e5m2::from_bits(bits).to_f32()).to_bits()),
            ] {
                assert!(value.is_nan() || back == bits, "{bits:#x}: {value}");
            }
        }
    }

    #[test]
    fn eight_bit_numbers_have_their_published_limits() {
        assert_eq!((e4m3::MAX.to_f32(), e4m3::MIN.to_f32()), (448.0, -448.0));
        assert_eq!((e5m2::MAX.to_f32(), e5m2::MIN.to_f32()), (57344.0, -57344.0));
        assert_eq!(e4m3::from_bits(1).to_f32(), 2f32.powi(-9));
        assert_eq!(e5m2::from_bits(1).to_f32(), 2f32.powi(-16));
        assert!(e4m3::from_f32(1e9).is_nan() && e5m2::from_f32(1e9).to_f32().is_infinite());
        assert!(!e4m3::MAX.is_nan() && !e5m2::from_f32(1e9).is_nan());
        assert_eq!(e4m3::from_f32(17.0).to_f32(), 16.0, "halfway goes to the even one");
        assert_eq!(e4m3::from_f32(19.0).to_f32(), 20.0);
    }

    /// The tests compare this crate's types with the types of `half` that have the same numbers of exponent
    /// and fraction bits.
    macro_rules! as_half {
        ($ours:ident $theirs:ident) => {
            assert_eq!($ours::DIGITS, $theirs::DIGITS);
            assert_eq!($ours::MANTISSA_DIGITS, $theirs::MANTISSA_DIGITS);
            assert_eq!([$ours::MAX_EXP, $ours::MIN_EXP], [$theirs::MAX_EXP, $theirs::MIN_EXP]);
            assert_eq!([$ours::MAX_10_EXP, $ours::MIN_10_EXP], [$theirs::MAX_10_EXP, $theirs::MIN_10_EXP]);
            for (ours, theirs) in [
                ($ours::EPSILON, $theirs::EPSILON),
                ($ours::INFINITY, $theirs::INFINITY),
                ($ours::NEG_INFINITY, $theirs::NEG_INFINITY),
                ($ours::MAX, $theirs::MAX),
                ($ours::MIN, $theirs::MIN),
                ($ours::MIN_POSITIVE, $theirs::MIN_POSITIVE),
                ($ours::NAN, $theirs::NAN),
            ] {
                assert_eq!(ours.to_bits(), theirs.to_bits());
            }
            for a in 0..=u16::MAX {
                let (x, y) = ($ours::from_bits(a), $theirs::from_bits(a));
                assert!(x.to_f64() == y.to_f64() || x.to_f64().is_nan() && y.is_nan(), "{a:#x}");
                assert_eq!(x.is_finite(), y.is_finite(), "{a:#x}");
                let b = a.wrapping_mul(0x9e37) ^ 0x1234;
                let (u, v) = ($ours::from_bits(b), $theirs::from_bits(b));
                for (ours, theirs) in [(x + u, y + v), (x - u, y - v), (x * u, y * v), (x / u, y / v)] {
                    let nan = ours.to_f64().is_nan() && theirs.is_nan();
                    assert!(nan || ours.to_bits() == theirs.to_bits(), "{a:#x} {b:#x}: {ours} {theirs}");
                }
                assert_eq!(x.partial_cmp(&u), y.partial_cmp(&v), "{a:#x} {b:#x}");
            }
        };
    }

    #[test]
    fn defined_float_types_match_the_half_crate() {
        as_half!(made16 f16);
        as_half!(made_brain bf16);
    }

    #[test]
    fn defined_float_types_round_once() {
        let of = |x: f64| made8::from_f64(x);
        assert_eq!((of(1.0) + of(0.125)).to_f64(), 1.0, "halfway goes to the even one");
        assert_eq!((of(1.25) + of(0.125)).to_f64(), 1.5);
        assert_eq!((made8::MAX + made8::MAX).to_bits(), made8::INFINITY.to_bits());
        assert_eq!((-of(2.0) % of(1.5)).to_f64(), -0.5);
        assert_eq!(<made8 as num_traits::NumCast>::from(3u8).map(made8::to_f64), Some(3.0));
    }
}
