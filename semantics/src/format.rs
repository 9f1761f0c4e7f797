//! The four float formats. Values travel as bit patterns; each operation rounds once, to nearest even, in its own format.
//!
//! f16 and bf16 compute in f64. That rounds twice, which is innocuous for `+ - * /` and the square root: f64 has more than
//! twice their bits and two to spare (Figueroa, "When is double rounding innocuous?", 1995). A fused multiply-add rounds
//! its sum to odd first (Boldo and Melquiond, "When double rounding is odd", 2005). A NaN that is computed is always the
//! positive quiet one, so that results are the same on every machine.

/// A float type that Rust computes in.
pub trait Wide:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
{
    /// Its value in f64, exactly.
    fn double(self) -> f64;
    /// The value of an f64, rounded once.
    fn of_double(x: f64) -> Self;
    /// The square root.
    fn root(self) -> Self;
}

impl Wide for f32 {
    fn double(self) -> f64 {
        self.into()
    }
    fn of_double(x: f64) -> Self {
        x as f32
    }
    fn root(self) -> Self {
        self.sqrt()
    }
}

impl Wide for f64 {
    fn double(self) -> f64 {
        self
    }
    fn of_double(x: f64) -> Self {
        x
    }
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// A float format of the IR.
pub trait Format: 'static {
    /// What it computes in.
    type In: Wide;
    /// Bits of the fraction.
    const FRACTION: u32;
    /// The sign bit.
    const SIGN: u64;
    /// The bits of infinity; larger magnitudes are NaN.
    const INFINITY: u64;
    /// Its value, exactly.
    fn wide(bits: u64) -> Self::In;
    /// Rounded once.
    fn narrow(value: Self::In) -> u64;
    /// `a * b + c`, rounded once.
    fn fma(a: u64, b: u64, c: u64) -> u64;
    /// An integer, rounded once.
    fn of_int(negative: bool, magnitude: u64) -> u64;

    /// The bits of a value given in f64, rounded once.
    fn of_double(x: f64) -> u64 {
        Self::narrow(Self::In::of_double(x))
    }
    /// Its value in f64, exactly.
    fn double(bits: u64) -> f64 {
        Self::wide(bits).double()
    }
    /// Whether the bits are a NaN's.
    fn is_nan(bits: u64) -> bool {
        bits & !Self::SIGN > Self::INFINITY
    }
    /// The NaN that operations give.
    fn nan() -> u64 {
        Self::INFINITY | 1 << (Self::FRACTION - 1)
    }
}

/// Half precision.
pub struct F16;
/// The upper half of single precision.
pub struct BF16;
/// Single precision.
pub struct F32;
/// Double precision.
pub struct F64;

macro_rules! half {
    ($name:ident, $exponent:literal, $fraction:literal) => {
        impl Format for $name {
            type In = f64;
            const FRACTION: u32 = $fraction;
            const SIGN: u64 = 1 << 15;
            const INFINITY: u64 = ((1 << $exponent) - 1) << $fraction;
            fn wide(bits: u64) -> f64 {
                widen(bits, $exponent, $fraction)
            }
            fn narrow(value: f64) -> u64 {
                narrow(value, $exponent, $fraction)
            }
            fn fma(a: u64, b: u64, c: u64) -> u64 {
                // The product of two halves is exact in f64.
                Self::narrow(add_to_odd(Self::wide(a) * Self::wide(b), Self::wide(c)))
            }
            fn of_int(negative: bool, magnitude: u64) -> u64 {
                let value = to_odd(magnitude);
                Self::narrow(if negative { -value } else { value })
            }
        }
    };
}

half!(F16, 5, 10);
half!(BF16, 8, 7);

macro_rules! native {
    ($name:ident, $float:ty, $bits:ty, $exponent:literal, $fraction:literal) => {
        impl Format for $name {
            type In = $float;
            const FRACTION: u32 = $fraction;
            const SIGN: u64 = 1 << ($exponent + $fraction);
            const INFINITY: u64 = ((1 << $exponent) - 1) << $fraction;
            #[inline(always)]
            fn wide(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn narrow(value: $float) -> u64 {
                if value.is_nan() { Self::nan() } else { u64::from(value.to_bits()) }
            }
            fn fma(a: u64, b: u64, c: u64) -> u64 {
                Self::narrow(Self::wide(a).mul_add(Self::wide(b), Self::wide(c)))
            }
            fn of_int(negative: bool, magnitude: u64) -> u64 {
                let value = magnitude as $float;
                Self::narrow(if negative { -value } else { value })
            }
        }
    };
}

native!(F32, f32, u32, 8, 23);
native!(F64, f64, u64, 11, 52);

fn widen(bits: u64, exponent_bits: u32, fraction_bits: u32) -> f64 {
    let sign = if bits >> 15 & 1 == 1 { -1.0 } else { 1.0 };
    let top = (1 << exponent_bits) - 1;
    let exponent = (bits >> fraction_bits & top) as i32;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let bias = top as i32 / 2;
    if exponent == top as i32 {
        return if fraction == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    let (whole, power) = if exponent == 0 { (fraction, 1) } else { (fraction | 1 << fraction_bits, exponent) };
    // Both factors are exact: few bits, and a power of two far inside f64's range.
    sign * whole as f64 * power_of_two(power - bias - fraction_bits as i32)
}

fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

fn narrow(value: f64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let infinity = ((1u64 << exponent_bits) - 1) << fraction_bits;
    let sign = value.to_bits() >> 63 << 15;
    if value.is_nan() {
        return infinity | 1 << (fraction_bits - 1);
    }
    if value.is_infinite() {
        return sign | infinity;
    }
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let whole = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
    let biased = exponent + (1 << (exponent_bits - 1)) - 1;
    // Below the smallest normal exponent the last place stays where it is.
    let shift = (52 - fraction_bits as i32) + (1 - biased).max(0);
    if shift >= 54 {
        return sign;
    }
    let (kept, rest, half) = (whole >> shift, whole & ((1 << shift) - 1), 1u64 << (shift - 1));
    let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
    // A carry out of the fraction moves into the exponent by itself.
    let bits = if biased > 0 { (((biased - 1) as u64) << fraction_bits) + rounded } else { rounded };
    sign | bits.min(infinity)
}

/// The sum in f64; where it is not exact, the one of its two neighbours whose last bit is set.
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

/// An integer in f64; where it is not exact, the neighbour whose last bit is set.
fn to_odd(magnitude: u64) -> f64 {
    let shift = 11u32.saturating_sub(magnitude.leading_zeros());
    let lost = magnitude & ((1 << shift) - 1) != 0;
    ((magnitude >> shift | u64::from(lost)) as f64) * power_of_two(shift as i32)
}
