//! Floats: one generic function per operation, instantiated for each format with arithmetic.
//!
//! Each operation is one row of `operations!`. The row contains the variant, the table of functions, the operands, the
//! names of the equivalent MLIR operations, and the formula.
use crate::by_format;
use crate::format::{COMPUTED, Format, Wide};
use crate::ints::{mask, signed};
use crate::{Flaw, Fn1, Fn2, Fn3, Number, Outcome};

/// One entry for each float format with arithmetic, in the order of [`COMPUTED`].
pub type ByFormat<T> = [T; COMPUTED.len()];

/// The functions of an operation, one for each format.
#[derive(Clone, Copy, Debug)]
pub enum FloatFunctions {
    /// Functions of one operand.
    One(ByFormat<Fn1>),
    /// Functions of two operands.
    Two(ByFormat<Fn2>),
    /// Functions of three operands.
    Three(ByFormat<Fn3>),
}

macro_rules! kind {
    (One) => {
        Fn1
    };
    (Two) => {
        Fn2
    };
    (Three) => {
        Fn3
    };
}

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident $table:ident: $kind:ident in [$($op:literal),*] = $name:ident<$T:ident>($($arg:ident),*) $value:expr;)*) => {
        $(
            #[inline(always)]
            fn $name<$T: Format>($($arg: u64),*, _: u32) -> u64 { $value }
            $(#[$doc])*
            pub const $table: ByFormat<kind!($kind)> = by_format!($name);
        )*

        /// An operation on floats of one format. The row of a variant also contains the names of its MLIR
        /// operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FloatOp { $($(#[$doc])* $variant),* }

        impl FloatOp {
            /// All operations.
            pub const ALL: &'static [FloatOp] = &[$(FloatOp::$variant),*];

            /// The functions that compute the operation, one for each format.
            pub const fn functions(self) -> FloatFunctions {
                match self { $(FloatOp::$variant => FloatFunctions::$kind($table)),* }
            }

            /// The names of the MLIR operations that compute this operation.
            pub const fn names(self) -> &'static [&'static str] {
                match self { $(FloatOp::$variant => &[$($op),*]),* }
            }
        }
    };
}

operations! {
    /// Sum.
    Add ADD: Two in ["arith.addf", "llvm.fadd"] = add<T>(a, b) T::from_wide(T::to_wide(a) + T::to_wide(b));
    /// Difference.
    Sub SUB: Two in ["arith.subf", "llvm.fsub"] = sub<T>(a, b) T::from_wide(T::to_wide(a) - T::to_wide(b));
    /// Product.
    Mul MUL: Two in ["arith.mulf", "llvm.fmul"] = mul<T>(a, b) T::from_wide(T::to_wide(a) * T::to_wide(b));
    /// Quotient.
    Div DIV: Two in ["arith.divf", "llvm.fdiv"] = div<T>(a, b) T::from_wide(T::to_wide(a) / T::to_wide(b));
    /// The exact remainder, like C's `fmod`.
    Rem REM: Two in ["arith.remf", "llvm.frem"] = rem<T>(a, b) T::from_wide(T::to_wide(a) % T::to_wide(b));
    /// The larger operand, or NaN if an operand is NaN; -0 is less than 0.
    Maximum MAXIMUM: Two in ["arith.maximumf", "llvm.intr.maximum"] = maximum<T>(a, b) if T::is_nan(a) || T::is_nan(b) { T::nan() } else { larger::<T>(a, b) };
    /// The smaller operand, or NaN if an operand is NaN; -0 is less than 0.
    Minimum MINIMUM: Two in ["arith.minimumf", "llvm.intr.minimum"] = minimum<T>(a, b) if T::is_nan(a) || T::is_nan(b) { T::nan() } else { smaller::<T>(a, b) };
    /// The larger operand, or the operand that is a number if exactly one operand is NaN; -0 is less than 0.
    MaxNum MAXNUM: Two in ["arith.maxnumf", "llvm.intr.maxnum"] = maxnum<T>(a, b) number::<T>(a, b, larger::<T>);
    /// The smaller operand, or the operand that is a number if exactly one operand is NaN; -0 is less than 0.
    MinNum MINNUM: Two in ["arith.minnumf", "llvm.intr.minnum"] = minnum<T>(a, b) number::<T>(a, b, smaller::<T>);
    /// The first operand with the sign of the second operand.
    CopySign COPYSIGN: Two in ["math.copysign", "llvm.intr.copysign"] = copysign<T>(a, b) a & !T::SIGN | b & T::SIGN;
    /// The operand with the opposite sign; the sign of a NaN also changes.
    Neg NEG: One in ["arith.negf", "llvm.fneg"] = neg<T>(a) a ^ T::SIGN;
    /// The operand with its sign bit cleared, also for a NaN.
    Abs ABS: One in ["math.absf", "llvm.intr.fabs"] = abs<T>(a) a & !T::SIGN;
    /// Square root.
    Sqrt SQRT: One in ["math.sqrt", "llvm.intr.sqrt"] = sqrt<T>(a) T::from_wide(T::to_wide(a).sqrt());
    /// Rounding down to an integer.
    Floor FLOOR: One in ["math.floor", "llvm.intr.floor"] = floor<T>(a) T::of_double(T::double(a).floor());
    /// Rounding up to an integer.
    Ceil CEIL: One in ["math.ceil", "llvm.intr.ceil"] = ceil<T>(a) T::of_double(T::double(a).ceil());
    /// Rounding towards zero to an integer.
    Trunc TRUNC: One in ["math.trunc", "llvm.intr.trunc"] = trunc<T>(a) T::of_double(T::double(a).trunc());
    /// Rounding to the nearest integer, ties away from zero.
    Round ROUND: One in ["math.round", "llvm.intr.round"] = round<T>(a) T::of_double(T::double(a).round());
    /// Rounding to the nearest integer, ties to even.
    RoundEven ROUNDEVEN: One in ["math.roundeven", "llvm.intr.roundeven", "llvm.intr.nearbyint", "llvm.intr.rint"] = roundeven<T>(a) T::of_double(T::double(a).round_ties_even());
    /// Whether the operand is neither infinite nor NaN.
    IsFinite ISFINITE: One in ["math.isfinite"] = isfinite<T>(a) u64::from(a & !T::SIGN < T::INFINITY);
    /// Whether the operand is infinite.
    IsInf ISINF: One in ["math.isinf"] = isinf<T>(a) u64::from(a & !T::SIGN == T::INFINITY);
    /// Whether the operand is NaN.
    IsNan ISNAN: One in ["math.isnan"] = isnan<T>(a) u64::from(T::is_nan(a));
    /// Whether the operand is neither zero, subnormal, infinite nor NaN.
    IsNormal ISNORMAL: One in ["math.isnormal"] = isnormal<T>(a) u64::from((1 << T::FRACTION..T::INFINITY).contains(&(a & !T::SIGN)));
    /// Fused multiply-add: `a * b + c`, rounded once.
    Fma FMA: Three in ["math.fma", "vector.fma", "llvm.intr.fma"] = fma<T>(a, b, c) T::fma(a, b, c);
    /// Clamp: the larger of the first two operands, but at most the third operand; NaN if an operand is NaN.
    Clamp CLAMP: Three in ["math.clampf"] = clamp<T>(x, low, high) minimum::<T>(maximum::<T>(x, low, 0), high, 0);
}

impl FloatOp {
    /// Computes the operation for constant operands of a float type. Classifications such as `IsNan` return a
    /// bit pattern of type `i1`.
    pub fn evaluate(self, ty: Number, operands: &[u64]) -> Outcome {
        let Some(format) = ty.format() else {
            return Outcome::Unsupported("this type is not computed in");
        };
        match (self.functions(), operands) {
            (FloatFunctions::One(by), [a]) => Outcome::Value(by[format](*a, ty.bits())),
            (FloatFunctions::Two(by), [a, b]) => Outcome::Value(by[format](*a, *b, ty.bits())),
            (FloatFunctions::Three(by), [a, b, c]) => Outcome::Value(by[format](*a, *b, *c, ty.bits())),
            _ => Outcome::Unsupported("so many operands"),
        }
    }
}

fn larger<T: Format>(a: u64, b: u64) -> u64 {
    if order::<T>(a) >= order::<T>(b) { a } else { b }
}

fn smaller<T: Format>(a: u64, b: u64) -> u64 {
    if order::<T>(a) <= order::<T>(b) { a } else { b }
}

// The position of a number in their order, with -0 directly below 0.
fn order<T: Format>(a: u64) -> i64 {
    let magnitude = (a & !T::SIGN) as i64;
    if a & T::SIGN == 0 { magnitude } else { -1 - magnitude }
}

fn number<T: Format>(a: u64, b: u64, choose: fn(u64, u64) -> u64) -> u64 {
    match (T::is_nan(a), T::is_nan(b)) {
        (true, true) => T::nan(),
        (true, false) => b,
        (false, true) => a,
        (false, false) => choose(a, b),
    }
}

fn cast<B: Format, A: Format>(a: u64, _: u32) -> u64 {
    // The conversion to f64 is exact, so the result is rounded once.
    B::of_double(A::double(a))
}

const fn casts_of<A: Format>() -> ByFormat<Fn1> {
    by_format!(cast, A)
}

/// The conversion functions between formats, indexed by source and destination.
pub const CAST: ByFormat<ByFormat<Fn1>> = by_format!(call casts_of);

fn of_signed<T: Format>(a: u64, w: u32) -> u64 {
    let value = signed(a, w);
    T::of_int(value < 0, value.unsigned_abs())
}

fn of_unsigned<T: Format>(a: u64, _: u32) -> u64 {
    T::of_int(false, a)
}

fn to_signed<T: Format>(a: u64, w: u32) -> u64 {
    // `as` saturates. A number that does not fit i64 therefore has wrong low bits, but such a conversion is undefined.
    T::double(a) as i64 as u64 & mask(w)
}

fn to_unsigned<T: Format>(a: u64, w: u32) -> u64 {
    T::double(a) as u64 & mask(w)
}

/// Converts a signed integer to a float; `imm` is the width of the integer.
pub const OF_SIGNED: ByFormat<Fn1> = by_format!(of_signed);
/// Converts an unsigned integer to a float; `imm` is the width of the integer.
pub const OF_UNSIGNED: ByFormat<Fn1> = by_format!(of_unsigned);
/// Converts a float to a signed integer, rounded towards zero; `imm` is the width of the integer.
pub const TO_SIGNED: ByFormat<Fn1> = by_format!(to_signed);
/// Converts a float to an unsigned integer, rounded towards zero; `imm` is the width of the integer.
pub const TO_UNSIGNED: ByFormat<Fn1> = by_format!(to_unsigned);

fn outside_signed<T: Format>(a: u64, _: u64, widths: u32) -> bool {
    let (value, limit) = (T::double(a).trunc(), 2f64.powi((widths >> 8) as i32 - 1));
    !(value >= -limit && value < limit)
}

fn outside_unsigned<T: Format>(a: u64, _: u64, widths: u32) -> bool {
    let value = T::double(a).trunc();
    !(value >= 0.0 && value < 2f64.powi((widths >> 8) as i32))
}

const fn outside(test: fn(u64, u64, u32) -> bool) -> Flaw {
    Flaw { immediate: false, why: "conversion of a float that is not an integer of the type", test }
}

const fn no_signed<T: Format>() -> Flaw {
    outside(outside_signed::<T>)
}

const fn no_unsigned<T: Format>() -> Flaw {
    outside(outside_unsigned::<T>)
}

/// Whether a conversion to a signed integer has no defined result.
pub const OUTSIDE_SIGNED: ByFormat<Flaw> = by_format!(call no_signed);

/// Whether a conversion to an unsigned integer has no defined result.
pub const OUTSIDE_UNSIGNED: ByFormat<Flaw> = by_format!(call no_unsigned);
