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
    /// Every bit pattern represents a finite number. The result of an overflow is the largest number with the same
    /// sign, and the result for NaN is the largest number (OCP microscaling formats, E2M1, E2M3 and E3M2).
    Finite,
    /// The format has no sign, no zero and no subnormal numbers. A pattern of all ones encodes NaN, and the format has no
    /// infinity (OCP microscaling formats, E8M0).
    Scale,
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

    /// Whether the format has a sign bit.
    pub const fn is_signed(self) -> bool {
        !matches!(self.special, Special::Scale)
    }

    /// Number of bits of a pattern, without the unused bits.
    pub const fn width(self) -> u32 {
        self.exponent + self.fraction + self.is_signed() as u32
    }

    /// The sign bit; in a format without a sign, the bit above the pattern.
    pub const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn top(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The bit pattern after the largest finite number.
    pub const fn beyond(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.top(),
            Special::Nan | Special::Scale => self.sign() - 1,
            Special::Finite => self.sign(),
        }
    }

    /// The bit pattern of the result of an overflow: infinity, NaN or the largest number.
    pub const fn overflow(self) -> u64 {
        match self.special {
            Special::InfinityAndNan | Special::Nan | Special::Scale => self.beyond(),
            Special::Finite => self.most(),
        }
    }

    /// The bit pattern of the smallest finite number.
    pub const fn least(self) -> u64 {
        if self.is_signed() { self.most() | self.sign() } else { 0 }
    }

    /// The bit pattern of the largest finite number.
    pub const fn most(self) -> u64 {
        self.beyond() - 1
    }

    /// The bit pattern of infinity; `None` if the format has no infinity.
    pub const fn infinity(self) -> Option<u64> {
        match self.special {
            Special::InfinityAndNan => Some(self.top()),
            Special::Nan | Special::Finite | Special::Scale => None,
        }
    }

    /// The bit pattern of the NaN that operations return: quiet and positive. In a format without NaN, the largest
    /// number.
    pub const fn nan(self) -> u64 {
        match self.special {
            Special::InfinityAndNan => self.top() | 1 << (self.fraction - 1),
            Special::Nan | Special::Finite | Special::Scale => self.overflow(),
        }
    }

    /// The number that the bit pattern of a finite magnitude represents. The result is exact, because no
    /// format has more bits than `f64`.
    pub fn value(self, magnitude: u64) -> f64 {
        if !self.is_signed() {
            return self.decode(magnitude);
        }
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
        let sign = if self.is_signed() && bits & self.sign() != 0 { -1.0 } else { 1.0 };
        if magnitude >= self.beyond() {
            return if self.infinity() == Some(magnitude) { sign * f64::INFINITY } else { f64::NAN };
        }
        let (exponent, fraction) = ((magnitude >> self.fraction) as i32, magnitude & ((1 << self.fraction) - 1));
        let subnormal = exponent == 0 && self.is_signed();
        let (whole, power) = if subnormal { (fraction, 1) } else { (fraction | 1 << self.fraction, exponent) };
        // Both factors are exact: the fraction has few bits, and the power of two is well inside f64's range.
        let scale = power - self.bias() - self.fraction as i32;
        sign * whole as f64 * f64::from_bits(((scale + 1023) as u64) << 52)
    }

    /// The bit pattern of a number, rounded once to nearest, ties to even. An overflow returns [`Format::overflow`], and
    /// NaN returns [`Format::nan`]. A format without a sign rounds ties up, because its numbers have no even digit, and
    /// returns its smallest number for all smaller numbers. The function requires a format with at most 9 exponent bits,
    /// or the format of f64.
    #[inline]
    pub fn encode(self, value: f64) -> u64 {
        if value.is_nan() {
            return self.nan();
        }
        if self.fraction == 52 {
            return value.to_bits();
        }
        if !self.is_signed() {
            return self.encode_scale(value);
        }
        let sign = (value.to_bits() >> 63) << (self.exponent + self.fraction);
        if value.is_infinite() {
            return sign | self.overflow();
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
        sign | if bits < self.beyond() { bits } else { self.overflow() }
    }

    // The bit pattern of the nearest power of two, in a format without a sign.
    fn encode_scale(self, value: f64) -> u64 {
        if value < self.smallest_normal() {
            return 0;
        }
        // The addition of half of the fraction carries into the exponent if the fraction is at least one half.
        let exponent = ((value.to_bits() + (1 << 51)) >> 52) as i32 - 1023;
        ((exponent + self.bias()) as u64).min(self.beyond())
    }

    /// The bit pattern of the conversion of the kernel language: [`Format::encode`], except for a format without a sign.
    /// Such a format is the format of scale factors. The conversion to it rounds up, so that a scaled number does not
    /// exceed the range of its type, and an overflow gives the largest number (as `__nv_cvt_double_to_e8m0` of CUDA with
    /// `cudaRoundPosInf` and `__NV_SATFINITE`).
    pub fn convert(self, value: f64) -> u64 {
        if self.is_signed() || value.is_nan() {
            return self.encode(value);
        }
        // The nearest number below `value` is at most one step away.
        let near = self.encode(value).min(self.most());
        if self.decode(near) < value { (near + 1).min(self.most()) } else { near }
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
        2f64.powi(self.is_signed() as i32 - self.bias())
    }

    /// The distance between two neighbouring subnormal numbers.
    pub fn step(self) -> f64 {
        // Two factors are necessary, because the distance for f64 is not a normal number.
        2f64.powi(1 - self.bias()) * 2f64.powi(-(self.fraction as i32))
    }
}
