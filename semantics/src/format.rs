//! The float formats that kernels compute with: one type for each row of `cube_target::computed_floats!`. The values of
//! a format are bit patterns. The result of each operation is rounded once to the operation's format, to
//! nearest, ties to even.
//!
//! The formats f32 and f64 use Rust's arithmetic. All other formats compute in f64. A second rounding does not change
//! the result of `+ - * /` and the square root in formats of at most 25 significant bits, counting the implicit bit.
//! The reason is that the 53 significant bits of f64 are more than twice 25 plus two (Figueroa, "When is double
//! rounding innocuous?", 1995). The remainder and the roundings to integers are exact in f64. Fused multiply-adds and
//! conversions of integers need an additional rounding step. The exact value of a fused multiply-add or a converted
//! integer is first rounded to odd in f64 (Boldo and Melquiond, "When double rounding is odd", 2005). A format has at
//! most 9 exponent bits, so that a product of two subnormal numbers is normal in f64. A table row that exceeds these
//! limits is a compile-time error. If the result of an arithmetic operation or conversion is NaN, it is always the
//! positive quiet NaN, so that results are equal on every machine. Only the operations on the sign bit (negation,
//! absolute value, copy of a sign) keep the other bits of a NaN.
use cube_target::{Element, Format as Fields, Special};

/// A float type of Rust: f32 or f64.
pub trait Wide:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
{
    /// The exact value as an f64.
    fn double(self) -> f64;
    /// Converts an f64 to this type, rounded once.
    fn of_double(x: f64) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// Applies a function that has an f32 and an f64 version. The type f32 uses the first version, and all
    /// other formats use the second version.
    fn map(self, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Self;
    /// Applies a function of two values that has an f32 and an f64 version.
    fn map2(self, other: Self, single: impl Fn(f32, f32) -> f32, double: impl Fn(f64, f64) -> f64) -> Self;
}

impl Wide for f32 {
    fn double(self) -> f64 {
        self.into()
    }
    fn of_double(x: f64) -> Self {
        x as f32
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn map(self, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Self {
        let _ = &double;
        single(self)
    }
    #[inline(always)]
    fn map2(self, other: Self, single: impl Fn(f32, f32) -> f32, double: impl Fn(f64, f64) -> f64) -> Self {
        let _ = &double;
        single(self, other)
    }
}

impl Wide for f64 {
    fn double(self) -> f64 {
        self
    }
    fn of_double(x: f64) -> Self {
        x
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn map(self, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Self {
        let _ = &single;
        double(self)
    }
    #[inline(always)]
    fn map2(self, other: Self, single: impl Fn(f32, f32) -> f32, double: impl Fn(f64, f64) -> f64) -> Self {
        let _ = &single;
        double(self, other)
    }
}

/// A float format of the IR.
pub trait Format: 'static {
    /// The type of intermediate results.
    type Intermediate: Wide;
    /// Number of bits of the fraction.
    const FRACTION: u32;
    /// The sign bit.
    const SIGN: u64;
    /// The bits of infinity; larger magnitudes are NaN.
    const INFINITY: u64;
    /// The exact number that a bit pattern represents.
    fn to_wide(bits: u64) -> Self::Intermediate;
    /// The bit pattern of a number, rounded once to this format.
    fn from_wide(value: Self::Intermediate) -> u64;
    /// `a * b + c`, rounded once.
    fn fma(a: u64, b: u64, c: u64) -> u64;
    /// The bit pattern of an integer, rounded once to this format.
    fn of_int(negative: bool, magnitude: u64) -> u64;

    /// The bit pattern of an f64 value, rounded once to this format.
    fn of_double(x: f64) -> u64 {
        Self::from_wide(Self::Intermediate::of_double(x))
    }
    /// The exact value as an f64.
    fn double(bits: u64) -> f64 {
        Self::to_wide(bits).double()
    }
    /// Whether the bits encode a NaN.
    fn is_nan(bits: u64) -> bool {
        bits & !Self::SIGN > Self::INFINITY
    }
    /// The NaN pattern that operations return.
    fn nan() -> u64 {
        Self::INFINITY | 1 << (Self::FRACTION - 1)
    }
}

/// The bit fields of a float type from its table row. A row without bit fields is a compile-time error.
const fn fields(element: Element) -> Fields {
    match element.format() {
        Some(fields) => fields,
        None => panic!("a row of computed floats has fields"),
    }
}

macro_rules! formats {
    ($($name:ident $exponent:tt $fraction:tt;)*) => {
        /// The floats with arithmetic, in the order of a [`ByFormat`](crate::floats::ByFormat).
        pub const COMPUTED: [Element; [$(Element::$name),*].len()] = [$(Element::$name),*];

        $(
            #[doc = concat!("The format of [`Element::", stringify!($name), "`].")]
            pub struct $name;
            formats! { @ $name $exponent $fraction }
        )*
    };
    // Single and double precision use Rust's types.
    (@ $name:ident 8 23) => { native!($name, f32, u32, 8, 23); };
    (@ $name:ident 11 52) => { native!($name, f64, u64, 11, 52); };
    (@ $name:ident $exponent:tt $fraction:tt) => { narrow!($name); };
}

macro_rules! narrow {
    ($name:ident) => {
        impl $name {
            const FIELDS: Fields = {
                let fields = fields(Element::$name);
                assert!(fields.exponent <= 9 && fields.fraction < 25, "f64 computes no such float exactly enough");
                assert!(matches!(fields.special, Special::InfinityAndNan) && fields.unused == 0);
                fields
            };
        }

        impl Format for $name {
            type Intermediate = f64;
            const FRACTION: u32 = Self::FIELDS.fraction;
            const SIGN: u64 = Self::FIELDS.sign();
            const INFINITY: u64 = Self::FIELDS.beyond();
            fn to_wide(bits: u64) -> f64 {
                Self::FIELDS.decode(bits)
            }
            fn from_wide(value: f64) -> u64 {
                Self::FIELDS.encode(value)
            }
            fn fma(a: u64, b: u64, c: u64) -> u64 {
                // The product of two numbers of this format is exact in f64.
                Self::from_wide(add_to_odd(Self::to_wide(a) * Self::to_wide(b), Self::to_wide(c)))
            }
            fn of_int(negative: bool, magnitude: u64) -> u64 {
                let value = to_odd(magnitude);
                Self::from_wide(if negative { -value } else { value })
            }
        }
    };
}

macro_rules! native {
    ($name:ident, $float:ty, $bits:ty, $exponent:literal, $fraction:literal) => {
        impl Format for $name {
            type Intermediate = $float;
            const FRACTION: u32 = $fraction;
            const SIGN: u64 = 1 << ($exponent + $fraction);
            const INFINITY: u64 = ((1 << $exponent) - 1) << $fraction;
            #[inline(always)]
            fn to_wide(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn from_wide(value: $float) -> u64 {
                if value.is_nan() { Self::nan() } else { u64::from(value.to_bits()) }
            }
            fn fma(a: u64, b: u64, c: u64) -> u64 {
                Self::from_wide(Self::to_wide(a).mul_add(Self::to_wide(b), Self::to_wide(c)))
            }
            fn of_int(negative: bool, magnitude: u64) -> u64 {
                let value = magnitude as $float;
                Self::from_wide(if negative { -value } else { value })
            }
        }
    };
}

cube_target::computed_floats! { [formats] }

/// Expands to an array with one element for each format, for example `[f::<F16>, f::<BF16>, ..]`. The elements are
/// instances of a generic function, or with `call` the results of the calls. Further generic arguments follow the
/// format.
#[macro_export]
macro_rules! by_format {
    (call $($function:ident)::+) => { cube_target::computed_floats! { [$crate::__by_format] call [$($function)::+] } };
    ($($function:ident)::+ $(, $more:tt)*) => {
        cube_target::computed_floats! { [$crate::__by_format] [$($function)::+] [$(, $more)*] }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __by_format {
    (call [$($function:tt)+] $($name:ident $exponent:tt $fraction:tt;)*) => {
        $crate::__by_format! { @ call [$($function)+] $($name)* }
    };
    (@ call $function:tt $($name:ident)*) => { [$($crate::__by_format! { @ one call $function $name }),*] };
    (@ one call [$($function:tt)+] $name:ident) => { $($function)+::<$crate::$name>() };
    ([$($function:tt)+] [$($more:tt)*] $($name:ident $exponent:tt $fraction:tt;)*) => {
        $crate::__by_format! { @ [$($function)+] [$($more)*] $($name)* }
    };
    (@ $function:tt $more:tt $($name:ident)*) => { [$($crate::__by_format! { @ one $function $more $name }),*] };
    (@ one [$($function:tt)+] [$($more:tt)*] $name:ident) => { $($function)+::<$crate::$name $($more)*> };
}

fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The sum in f64, rounded to odd: an inexact sum becomes the neighbour whose last bit is set.
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if !sum.is_finite() || error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// An integer as an f64, rounded to odd: an inexact value becomes the neighbour whose last bit is set.
fn to_odd(magnitude: u64) -> f64 {
    let shift = 11u32.saturating_sub(magnitude.leading_zeros());
    let lost = magnitude & ((1 << shift) - 1) != 0;
    ((magnitude >> shift | u64::from(lost)) as f64) * power_of_two(shift as i32)
}
