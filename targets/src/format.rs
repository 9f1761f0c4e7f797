//! Float formats by their fields: a sign bit, an exponent, a fraction, and the meaning of the largest exponent.

/// The patterns that are not finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// As in IEEE 754: the largest exponent is infinity if the fraction is 0, else NaN.
    InfinityAndNan,
    /// Only the pattern of all ones is a NaN; the format has no infinities (OCP 8-bit floating point, E4M3).
    Nan,
}

/// The fields of a float, from the highest bit on: sign, exponent, fraction, unused bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
    /// Number of bits below the fraction, which are 0. The patterns of this module exclude them.
    pub unused: u32,
    /// The patterns that are not finite numbers.
    pub special: Special,
}

impl Format {
    /// The exponent bias of normal numbers.
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The sign bit.
    pub const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn top(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The pattern of overflow, which follows the largest finite number.
    pub const fn beyond(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.top(),
            Special::Nan => self.sign() - 1,
        }
    }

    /// The largest finite number's pattern.
    pub const fn most(self) -> u64 {
        self.beyond() - 1
    }

    /// The pattern of infinity; `None` if the format has none.
    pub const fn infinity(self) -> Option<u64> {
        match self.special {
            Special::InfinityAndNan => Some(self.top()),
            Special::Nan => None,
        }
    }

    /// The NaN that operations return: quiet and positive.
    pub const fn nan(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.top() | 1 << (self.fraction - 1),
            Special::Nan => self.sign() - 1,
        }
    }

    /// The number that a finite pattern without its sign represents. No table row has more bits than an `f64`.
    pub fn value(self, magnitude: u64) -> f64 {
        let fraction = (magnitude & ((1 << self.fraction) - 1)) as f64;
        match (magnitude >> self.fraction) as i32 {
            0 => fraction * self.step(),
            exponent => {
                let whole = 1.0 + fraction / (1u64 << self.fraction) as f64;
                whole * 2f64.powi(exponent - self.bias())
            }
        }
    }

    /// The exact number of a pattern with its sign; NaN for patterns without a number.
    #[inline]
    pub fn decode(self, bits: u64) -> f64 {
        if self.fraction == 52 {
            return f64::from_bits(bits);
        }
        let magnitude = bits & (self.sign() - 1);
        let sign = if bits & self.sign() == 0 { 1.0 } else { -1.0 };
        if magnitude >= self.beyond() {
            return if self.infinity() == Some(magnitude) { sign * f64::INFINITY } else { f64::NAN };
        }
        let (exponent, fraction) = ((magnitude >> self.fraction) as i32, magnitude & ((1 << self.fraction) - 1));
        let (whole, power) = if exponent == 0 { (fraction, 1) } else { (fraction | 1 << self.fraction, exponent) };
        // Both factors are exact: the fraction has few bits, and the power of two is well inside f64's range.
        let scale = power - self.bias() - self.fraction as i32;
        sign * whole as f64 * f64::from_bits(((scale + 1023) as u64) << 52)
    }

    /// The pattern of a number, rounded once to nearest, ties to even. Overflow becomes infinity, or NaN if the format has no infinity.
    /// NaN becomes the positive quiet NaN. Formats have at most 9 bits of exponent, or are f64 itself.
    #[inline]
    pub fn encode(self, value: f64) -> u64 {
        if value.is_nan() {
            return self.nan();
        }
        if self.fraction == 52 {
            return value.to_bits();
        }
        let sign = (value.to_bits() >> 63) << (self.exponent + self.fraction);
        if value.is_infinite() {
            return sign | self.beyond();
        }
        let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        let whole = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
        let biased = exponent + self.bias();
        // Below the smallest normal exponent, the position of the last place is constant.
        let shift = (52 - self.fraction as i32) + (1 - biased).max(0);
        if shift >= 54 {
            return sign;
        }
        let (kept, rest, half) = (whole >> shift, whole & ((1 << shift) - 1), 1u64 << (shift - 1));
        let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        // A carry out of the fraction increments the exponent, because the fields are adjacent.
        let bits = if biased > 0 { (((biased - 1) as u64) << self.fraction) + rounded } else { rounded };
        sign | bits.min(self.beyond())
    }

    /// The distance from 1 to the next number, as a pattern.
    pub const fn epsilon(self) -> u64 {
        let exponent = self.bias() - self.fraction as i32;
        if exponent > 0 { (exponent as u64) << self.fraction } else { 1 << (self.bias() - 1) }
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        self.value(self.most())
    }

    /// The smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        2f64.powi(1 - self.bias())
    }

    /// The distance between two neighbouring subnormal numbers.
    pub fn step(self) -> f64 {
        // Two factors are necessary, because the distance for f64 is not a normal number.
        2f64.powi(1 - self.bias()) * 2f64.powi(-(self.fraction as i32))
    }
}
