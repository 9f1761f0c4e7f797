//! Floats: one generic function an operation, instantiated for the four formats.
use crate::format::{BF16, F16, F32, F64, Format, Wide};
use crate::program::{Flaw, Fn1, Fn2, Fn3};
use crate::rules::ints::{mask, signed};

/// An operation in the four formats: f16, bf16, f32, f64.
pub type Four<T> = [T; 4];

/// Instantiates a generic function for the four formats.
macro_rules! four {
    ($($function:ident)::+ $(, $more:tt)*) => {
        [$($function)::+::<F16 $(, $more)*>, $($function)::+::<BF16 $(, $more)*>, $($function)::+::<F32 $(, $more)*>, $($function)::+::<F64 $(, $more)*>]
    };
}

macro_rules! operations {
    ($($(#[$doc:meta])* $table:ident: $kind:ty = $name:ident<$T:ident>($($arg:ident),*) $value:expr;)*) => {
        $(
            #[inline(always)]
            fn $name<$T: Format>($($arg: u64),*, _: u32) -> u64 { $value }
            $(#[$doc])*
            pub const $table: Four<$kind> = four!($name);
        )*
    };
}

operations! {
    /// Sum.
    ADD: Fn2 = add<T>(a, b) T::narrow(T::wide(a) + T::wide(b));
    /// Difference.
    SUB: Fn2 = sub<T>(a, b) T::narrow(T::wide(a) - T::wide(b));
    /// Product.
    MUL: Fn2 = mul<T>(a, b) T::narrow(T::wide(a) * T::wide(b));
    /// Quotient.
    DIV: Fn2 = div<T>(a, b) T::narrow(T::wide(a) / T::wide(b));
    /// C's `fmod`, exact.
    REM: Fn2 = rem<T>(a, b) T::narrow(T::wide(a) % T::wide(b));
    /// The larger, NaN if one is NaN; -0 is below 0.
    MAXIMUM: Fn2 = maximum<T>(a, b) if T::is_nan(a) || T::is_nan(b) { T::nan() } else { larger::<T>(a, b) };
    /// The smaller, NaN if one is NaN; -0 is below 0.
    MINIMUM: Fn2 = minimum<T>(a, b) if T::is_nan(a) || T::is_nan(b) { T::nan() } else { smaller::<T>(a, b) };
    /// The larger, a NaN loses; -0 is below 0.
    MAXNUM: Fn2 = maxnum<T>(a, b) number::<T>(a, b, larger::<T>);
    /// The smaller, a NaN loses; -0 is below 0.
    MINNUM: Fn2 = minnum<T>(a, b) number::<T>(a, b, smaller::<T>);
    /// The sign of the second.
    COPYSIGN: Fn2 = copysign<T>(a, b) a & !T::SIGN | b & T::SIGN;
    /// The other sign, of NaN too.
    NEG: Fn1 = neg<T>(a) a ^ T::SIGN;
    /// Without sign, of NaN too.
    ABS: Fn1 = abs<T>(a) a & !T::SIGN;
    /// Square root.
    SQRT: Fn1 = sqrt<T>(a) T::narrow(T::wide(a).root());
    /// Down to an integer.
    FLOOR: Fn1 = floor<T>(a) T::of_double(T::double(a).floor());
    /// Up to an integer.
    CEIL: Fn1 = ceil<T>(a) T::of_double(T::double(a).ceil());
    /// Towards zero to an integer.
    TRUNC: Fn1 = trunc<T>(a) T::of_double(T::double(a).trunc());
    /// To the nearest integer, ties away from zero.
    ROUND: Fn1 = round<T>(a) T::of_double(T::double(a).round());
    /// To the nearest integer, ties to even.
    ROUNDEVEN: Fn1 = roundeven<T>(a) T::of_double(T::double(a).round_ties_even());
    /// Neither infinite nor NaN.
    ISFINITE: Fn1 = isfinite<T>(a) u64::from(a & !T::SIGN < T::INFINITY);
    /// Infinite.
    ISINF: Fn1 = isinf<T>(a) u64::from(a & !T::SIGN == T::INFINITY);
    /// NaN.
    ISNAN: Fn1 = isnan<T>(a) u64::from(T::is_nan(a));
    /// Neither zero, subnormal, infinite nor NaN.
    ISNORMAL: Fn1 = isnormal<T>(a) u64::from((1 << T::FRACTION..T::INFINITY).contains(&(a & !T::SIGN)));
    /// Product and sum, rounded once.
    FMA: Fn3 = fma<T>(a, b, c) T::fma(a, b, c);
    /// The larger of the first two, then the smaller of that and the third; NaN if one is NaN.
    CLAMP: Fn3 = clamp<T>(x, low, high) minimum::<T>(maximum::<T>(x, low, 0), high, 0);
}

fn larger<T: Format>(a: u64, b: u64) -> u64 {
    if order::<T>(a) >= order::<T>(b) { a } else { b }
}

fn smaller<T: Format>(a: u64, b: u64) -> u64 {
    if order::<T>(a) <= order::<T>(b) { a } else { b }
}

// The place on the number line, with -0 just below 0.
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

macro_rules! compare {
    ($($a:ident $b:ident $unordered:literal $ordered:expr;)*) => {
        /// `arith.cmpf` by predicate number and format.
        pub const COMPARE: [Four<Fn2>; 16] = [$({
            fn test<T: Format>(x: u64, y: u64, _: u32) -> u64 {
                let ($a, $b) = (T::wide(x), T::wide(y));
                u64::from(if $a.partial_cmp(&$b).is_none() { $unordered } else { $ordered })
            }
            four!(test)
        }),*];
    };
}

compare! {
    _a _b false false;
    a b false a == b;
    a b false a > b;
    a b false a >= b;
    a b false a < b;
    a b false a <= b;
    a b false a != b;
    _a _b false true;
    a b true a == b;
    a b true a > b;
    a b true a >= b;
    a b true a < b;
    a b true a <= b;
    a b true a != b;
    _a _b true false;
    _a _b true true;
}

fn cast<A: Format, B: Format>(a: u64, _: u32) -> u64 {
    // Widening to f64 is exact, so there is one rounding.
    B::of_double(A::double(a))
}

/// Conversion between formats, by from and to.
pub const CAST: Four<Four<Fn1>> = [
    [cast::<F16, F16>, cast::<F16, BF16>, cast::<F16, F32>, cast::<F16, F64>],
    [cast::<BF16, F16>, cast::<BF16, BF16>, cast::<BF16, F32>, cast::<BF16, F64>],
    [cast::<F32, F16>, cast::<F32, BF16>, cast::<F32, F32>, cast::<F32, F64>],
    [cast::<F64, F16>, cast::<F64, BF16>, cast::<F64, F32>, cast::<F64, F64>],
];

fn of_signed<T: Format>(a: u64, w: u32) -> u64 {
    let value = signed(a, w);
    T::of_int(value < 0, value.unsigned_abs())
}

fn of_unsigned<T: Format>(a: u64, _: u32) -> u64 {
    T::of_int(false, a)
}

fn to_signed<T: Format>(a: u64, w: u32) -> u64 {
    // `as` saturates, so what does not fit i64 is wrong in its low bits too: undefined anyway.
    T::double(a) as i64 as u64 & mask(w)
}

fn to_unsigned<T: Format>(a: u64, w: u32) -> u64 {
    T::double(a) as u64 & mask(w)
}

/// Signed integer to float; `imm` is the width.
pub const OF_SIGNED: Four<Fn1> = four!(of_signed);
/// Unsigned integer to float; `imm` is the width.
pub const OF_UNSIGNED: Four<Fn1> = four!(of_unsigned);
/// Float to signed integer, towards zero; `imm` is the width.
pub const TO_SIGNED: Four<Fn1> = four!(to_signed);
/// Float to unsigned integer, towards zero; `imm` is the width.
pub const TO_UNSIGNED: Four<Fn1> = four!(to_unsigned);

fn outside_signed<T: Format>(a: u64, _: u64, widths: u32) -> bool {
    let (value, limit) = (T::double(a).trunc(), 2f64.powi((widths >> 8) as i32 - 1));
    !(value >= -limit && value < limit)
}

fn outside_unsigned<T: Format>(a: u64, _: u64, widths: u32) -> bool {
    let value = T::double(a).trunc();
    !(value >= 0.0 && value < 2f64.powi((widths >> 8) as i32))
}

const fn outside(test: fn(u64, u64, u32) -> bool) -> Flaw {
    Flaw { immediate: false, why: "conversion of a float that is no integer of the type", test }
}

/// When a conversion to a signed integer has no result.
pub const OUTSIDE_SIGNED: Four<Flaw> = [
    outside(outside_signed::<F16>),
    outside(outside_signed::<BF16>),
    outside(outside_signed::<F32>),
    outside(outside_signed::<F64>),
];

/// When a conversion to an unsigned integer has no result.
pub const OUTSIDE_UNSIGNED: Four<Flaw> = [
    outside(outside_unsigned::<F16>),
    outside(outside_unsigned::<BF16>),
    outside(outside_unsigned::<F32>),
    outside(outside_unsigned::<F64>),
];
