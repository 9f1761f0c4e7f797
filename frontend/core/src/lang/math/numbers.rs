//! Traits of number types.
use super::super::value::{CubePrimitive, Operand, Val};
use super::{
    Abs, ArcCos, ArcCosh, ArcSin, ArcSinh, ArcTan, ArcTan2, ArcTanh, BitwiseNot, Ceil, Clamp, Cos, Cosh, CountOnes,
    Degrees, Dot, Erf, Exp, Expm1, FindFirstSet, Floor, Hypot, InverseSqrt, IsInf, IsNan, LeadingZeros, Log, Log1p,
    Magnitude, Max, Min, MulHi, Normalize, Powf, Powi, Radians, Recip, Remainder, ReverseBits, Rhypot, Round,
    SaturatingAdd, SaturatingSub, Sin, Sinh, Sqrt, Tan, Tanh, TrailingZeros, Trunc,
};
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, Raw, Ty, with};
use crate::lang::minifloats::computed::*;
use std::ops::*;

/// Number types that support arithmetic.
pub trait Numeric:
    CubePrimitive
    + Abs
    + Max
    + Min
    + Clamp
    + Remainder
    + Dot
    + Cast
    + Scalar
    + num_traits::NumCast
    + Operand<T = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + PartialOrd
    + PartialEq
    + std::fmt::Debug
{
    /// The lowest finite value of the type.
    fn min_value() -> Self;
    /// The largest finite value of the type.
    fn max_value() -> Self;
    /// Converts an integer to this type, with the semantics of `as`.
    fn from_int(value: i64) -> Self;
    /// A line whose elements are the given numbers.
    fn from_vec<const D: usize>(values: [u32; D]) -> Self {
        let _ = values;
        unexpanded()
    }
    #[doc(hidden)]
    fn min_value_in_a_kernel() -> Val<Self> {
        Val::lit(Self::min_value())
    }
    #[doc(hidden)]
    fn max_value_in_a_kernel() -> Val<Self> {
        Val::lit(Self::max_value())
    }
    #[doc(hidden)]
    fn from_int_in_a_kernel(value: Val<i64>) -> Val<Self> {
        Val::new(super::super::cast::convert(value.raw, Self::elem(), 0))
    }
    #[doc(hidden)]
    fn from_vec_in_a_kernel<const D: usize>(values: [u32; D]) -> Val<Self> {
        let ty = Ty { elem: Self::elem(), line: D as u32 };
        let mut whole = Raw::Const(Lit::zero(ty.elem), ty);
        for (i, value) in values.into_iter().enumerate() {
            let value = super::super::cast::convert(Val::lit(value).raw, Self::elem(), 0);
            whole = super::super::containers::with_lane(whole, Val::<u32>::lit(i as u32).raw, value);
        }
        Val::new(whole)
    }
}

/// Number types that scalar launch arguments can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a launch",
    label = "not a launch argument",
    note = "derive `CubeLaunch` for it beside `CubeType`, or pass it as `#[comptime]`"
)]
pub trait Scalar: CubePrimitive {
    /// Converts the number to the runtime's scalar type.
    fn to_scalar(self) -> cube_runtime::Scalar;
}

/// Integer types.
pub trait Int:
    Numeric
    + CountOnes
    + ReverseBits
    + BitwiseNot
    + LeadingZeros
    + TrailingZeros
    + FindFirstSet
    + SaturatingAdd
    + SaturatingSub
    + MulHi
    + Rem<Output = Self>
    + BitOr<Output = Self>
    + BitAnd<Output = Self>
    + BitXor<Output = Self>
    + Shl<Output = Self>
    + Shr<Output = Self>
    + Not<Output = Self>
    + RemAssign
    + BitOrAssign
    + BitAndAssign
    + BitXorAssign
    + ShlAssign<u32>
    + ShrAssign<u32>
    + PartialEq
{
    /// Width of the type in bits.
    const BITS: u32;
    /// Converts an integer to this type, with the semantics of `as`.
    fn new(value: i64) -> Self;
    #[doc(hidden)]
    fn new_in_a_kernel(value: Val<i64>) -> Val<Self> {
        Val::new(super::super::cast::convert(value.raw, Self::elem(), 0))
    }
}

/// Floating-point types.
pub trait Float:
    Numeric
    + Exp
    + Log
    + Log1p
    + Cos
    + Sin
    + Tan
    + Tanh
    + Expm1
    + Sinh
    + Cosh
    + ArcCos
    + ArcSin
    + ArcTan
    + ArcSinh
    + ArcCosh
    + ArcTanh
    + ArcTan2
    + Hypot
    + Rhypot
    + Degrees
    + Radians
    + Powf
    + Powi<i32>
    + Sqrt
    + InverseSqrt
    + Round
    + Floor
    + Ceil
    + Trunc
    + Erf
    + Recip
    + Magnitude
    + Normalize
    + IsNan
    + IsInf
    + Neg<Output = Self>
{
    /// Number of significant decimal digits that the type represents without loss.
    const DIGITS: u32;
    /// Distance from 1 to the next larger value.
    const EPSILON: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Size of the mantissa in bits, including the implicit bit.
    const MANTISSA_DIGITS: u32;
    /// The largest finite value of the type.
    const MAX: Self;
    /// The largest exponent `e` for which 10^e is finite.
    const MAX_10_EXP: i32;
    /// The largest exponent `e` for which 2^e is finite, plus 1.
    const MAX_EXP: i32;
    /// The lowest finite value of the type.
    const MIN: Self;
    /// The smallest exponent `e` for which 10^e is a normal number.
    const MIN_10_EXP: i32;
    /// The smallest exponent `e` for which 2^e is a normal number, plus 1.
    const MIN_EXP: i32;
    /// The smallest positive normal value.
    const MIN_POSITIVE: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// The base of the exponent.
    const RADIX: u32;
    /// Rounds an `f32` to this type.
    fn new(value: f32) -> Self;
    #[doc(hidden)]
    fn new_in_a_kernel(value: Val<f32>) -> Val<Self> {
        Val::new(super::super::cast::convert(value.raw, Self::elem(), 0))
    }
}

/// Conversion between number types, with the semantics of `as`.
pub trait Cast: CubePrimitive {
    /// Converts a value to this type.
    fn cast_from<From: CubePrimitive>(value: From) -> Self {
        let _ = value;
        unexpanded()
    }
    #[doc(hidden)]
    fn cast_from_in_a_kernel<From: CubePrimitive>(value: Val<From>) -> Val<Self> {
        let position = crate::ir::position();
        Val::new(super::super::cast::convert_elements::<Self, From>(value.raw, position))
    }
}

impl<T: CubePrimitive> Cast for T {}

/// Reinterpretation of bits.
pub trait Reinterpret: CubePrimitive {
    /// Returns the value of this type that has the same bits.
    fn reinterpret<From: CubePrimitive>(value: From) -> Self {
        let _ = value;
        unexpanded()
    }
    #[doc(hidden)]
    fn reinterpret_in_a_kernel<From: CubePrimitive>(value: Val<From>) -> Val<Self> {
        Val::new(bitcast(value.raw, Self::elem()))
    }
}

impl<T: CubePrimitive> Reinterpret for T {}

/// The integer types of the bits of a float of fewer than 8 bits: the type of its width, and `i8`. `None` for other types.
fn parts_of_byte(ty: Ty) -> Option<(String, String)> {
    let of = |bits: u32| match ty.line {
        1 => format!("i{bits}"),
        line => format!("vector<{line}xi{bits}>"),
    };
    (ty.elem.is_float() && ty.elem.bits() < 8).then(|| (of(ty.elem.bits()), of(8)))
}

/// Reinterprets the bits of a value as elements of the type `to`. A float of fewer than 8 bits is the lower part of a
/// byte, whose upper bits are zero.
pub fn bitcast(raw: Raw, to: Elem) -> Raw {
    let (x, ty) = with(|b| b.id(raw));
    if ty.elem == to {
        return Raw::Ssa(x, ty);
    }
    if let Some((part, byte)) = parts_of_byte(ty) {
        let bytes = with(|b| {
            let bits = b.argument();
            b.op(&format!("%{bits} = arith.bitcast %{x} : {ty} to {part}"));
            b.value(ty.with(Elem::U8), &format!("arith.extui %{bits} : {part} to {byte}"))
        });
        return bitcast(bytes, to);
    }
    if parts_of_byte(Ty::scalar(to)).is_some() {
        let bytes = bitcast(Raw::Ssa(x, ty), Elem::U8);
        return with(|b| {
            let (x, ty) = b.id(bytes);
            let Some((part, byte)) = parts_of_byte(ty.with(to)) else { return bytes };
            let bits = b.argument();
            b.op(&format!("%{bits} = arith.trunci %{x} : {byte} to {part}"));
            b.value(ty.with(to), &format!("arith.bitcast %{bits} : {part} to {}", ty.with(to)))
        });
    }
    with(|b| {
        let (x, ty) = b.id(raw);
        let bits = ty.elem.bits() * ty.line;
        if ty.elem.mlir() == to.mlir() {
            return Raw::Ssa(x, ty.with(to));
        }
        if bits % to.bits() != 0 {
            b.error(format!(
                "{bits} bits cannot be reinterpreted as {}; use an element type whose size divides them",
                to.name()
            ));
            return Raw::Const(Lit::zero(to), Ty::scalar(to));
        }
        let out = Ty { elem: to, line: bits / to.bits() };
        if out.line == ty.line {
            return b.value(out, &format!("arith.bitcast %{x} : {ty} to {out}"));
        }
        // A scalar is broadcast to a vector of one element, because `vector.bitcast` requires
        // vectors.
        let vector = |ty: Ty| format!("vector<{}x{}>", ty.line, ty.elem.mlir());
        let from = if ty.line == 1 {
            let wide = b.argument();
            b.op(&format!("%{wide} = vector.broadcast %{x} : {ty} to {}", vector(ty)));
            wide
        } else {
            x
        };
        let cast = b.argument();
        b.op(&format!("%{cast} = vector.bitcast %{from} : {} to {}", vector(ty), vector(out)));
        if out.line == 1 {
            return b.value(out, &format!("vector.extract %{cast}[0] : {out} from {}", vector(out)));
        }
        Raw::Ssa(cast, out)
    })
}

/// The value of an integer; 0 for other numbers.
pub fn as_i128<T: CubePrimitive>(value: T) -> i128 {
    value.to_lit().int().unwrap_or(0)
}

macro_rules! scalars {
    ($($ty:ident $variant:ident;)*) => {$(
        impl Scalar for $ty {
            fn to_scalar(self) -> cube_runtime::Scalar {
                cube_runtime::Scalar::$variant(self)
            }
        }
    )*};
}

scalars! {
    bool Bool; i8 I8; i16 I16; i32 I32; i64 I64; u8 U8; u16 U16; u32 U32; u64 U64; f32 F32; f64 F64;
}

impl Scalar for usize {
    fn to_scalar(self) -> cube_runtime::Scalar {
        match Self::elem() {
            Elem::U32 => cube_runtime::Scalar::U32(crate::lang::indices::size_index(self)),
            _ => cube_runtime::Scalar::U64(self as u64),
        }
    }
}

macro_rules! ints {
    ($($ty:ident)*) => {$(
        impl Numeric for $ty {
            fn min_value() -> Self {
                $ty::MIN
            }
            fn max_value() -> Self {
                $ty::MAX
            }
            fn from_int(value: i64) -> Self {
                value as $ty
            }
        }
        impl Int for $ty {
            const BITS: u32 = $ty::BITS;
            fn new(value: i64) -> Self {
                value as $ty
            }
        }
    )*};
}

ints!(i8 i16 i32 i64 u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($ty:ident $from:expr, $from_int:expr;)*) => {$(
        impl Numeric for $ty {
            fn min_value() -> Self {
                $ty::MIN
            }
            fn max_value() -> Self {
                $ty::MAX
            }
            fn from_int(value: i64) -> Self {
                let from: fn(i64) -> $ty = $from_int;
                from(value)
            }
        }
        impl Float for $ty {
            const DIGITS: u32 = $ty::DIGITS;
            const EPSILON: Self = $ty::EPSILON;
            const INFINITY: Self = $ty::INFINITY;
            const MANTISSA_DIGITS: u32 = $ty::MANTISSA_DIGITS;
            const MAX: Self = $ty::MAX;
            const MAX_10_EXP: i32 = $ty::MAX_10_EXP;
            const MAX_EXP: i32 = $ty::MAX_EXP;
            const MIN: Self = $ty::MIN;
            const MIN_10_EXP: i32 = $ty::MIN_10_EXP;
            const MIN_EXP: i32 = $ty::MIN_EXP;
            const MIN_POSITIVE: Self = $ty::MIN_POSITIVE;
            const NAN: Self = $ty::NAN;
            const NEG_INFINITY: Self = $ty::NEG_INFINITY;
            const RADIX: u32 = $ty::RADIX;
            fn new(value: f32) -> Self {
                let from: fn(f32) -> $ty = $from;
                from(value)
            }
        }
    )*};
}

floats! {
    f32 |v| v, |v| v as f32;
    flex32 flex32::from_f32, |v| flex32::from_f32(v as f32);
    f64 f64::from, |v| v as f64;
}

macro_rules! narrow {
    ($($elem:ident $ty:ident;)*) => {
        scalars! { $($ty $elem;)* }
        floats! { $($ty $ty::from_f32, |v| $ty::from_f64(v as f64);)* }
    };
}

cube_target::narrow_floats! { [narrow] }
