//! Float formats, described by their bit fields: a sign bit, an exponent, a fraction, and the meaning of the
//! largest exponent.

/// The bit patterns that do not represent finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// As in IEEE 754, the largest exponent encodes infinity if the fraction is 0, and NaN otherwise.
    InfinityAndNan,
    /// NaN is encoded only by a magnitude of all ones, and the format has no infinities (OCP 8-bit floating
    /// point, E4M3).
    Nan,
}

/// The bit fields of a float, from the highest bit to the lowest: sign, exponent, fraction, unused bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Number of exponent bits.
    pub exponent: u32,
    /// Number of fraction bits.
    pub fraction: u32,
    /// Number of unused bits below the fraction. The unused bits are zero, and the bit patterns of this
    /// module do not include them.
    pub unused: u32,
    /// The bit patterns that do not represent finite numbers.
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

    /// The bit pattern after the largest finite number, which is the result of an overflow.
    pub const fn beyond(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.top(),
            Special::Nan => self.sign() - 1,
        }
    }

    /// The bit pattern of the largest finite number.
    pub const fn most(self) -> u64 {
        self.beyond() - 1
    }

    /// The bit pattern of infinity; `None` if the format has no infinity.
    pub const fn infinity(self) -> Option<u64> {
        match self.special {
            Special::InfinityAndNan => Some(self.top()),
            Special::Nan => None,
        }
    }

    /// The bit pattern of the NaN that operations return: quiet and positive.
    pub const fn nan(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.top() | 1 << (self.fraction - 1),
            Special::Nan => self.sign() - 1,
        }
    }

    /// The number that the bit pattern of a finite magnitude represents. The result is exact, because no
    /// format has more bits than `f64`.
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

    /// The exact number that a bit pattern with a sign represents; NaN if the pattern does not represent a
    /// number.
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

    /// The bit pattern of a number, rounded once to nearest, ties to even. An overflow returns infinity, or NaN if the
    /// format has no infinity. For NaN the result is the positive quiet NaN. The function requires a format with at
    /// most 9 exponent bits, or the format of f64.
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

    /// The bit pattern of the distance from 1 to the next larger number.
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
