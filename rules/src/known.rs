//! Known bits: the bits that are 0 in all values of a set, and the bits that are 1 in all values.

/// The known bits of a set of values: the bits that are equal in all values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownBits {
    /// Bits that are 0 in all values.
    pub zeros: u64,
    /// Bits that are 1 in all values.
    pub ones: u64,
}

impl KnownBits {
    /// The set of all values, in which no bit is known.
    pub const NONE: KnownBits = KnownBits { zeros: 0, ones: 0 };

    /// The known bits of a single value.
    pub fn of(value: u64) -> KnownBits {
        KnownBits { zeros: !value, ones: value }
    }

    /// The bits that are equal in all numbers from `low` to `high`.
    pub fn of_range(low: u64, high: u64) -> KnownBits {
        // `low` and `high` are equal above their highest different bit, and so is each number between them.
        let same = u64::MAX.checked_shl(64 - (low ^ high).leading_zeros()).unwrap_or(0);
        KnownBits { zeros: !low & same, ones: low & same }
    }

    /// The known bits of the intersection of both sets; `None` if a bit would have to be both 0 and 1.
    pub fn meet(self, other: KnownBits) -> Option<KnownBits> {
        let both = KnownBits { zeros: self.zeros | other.zeros, ones: self.ones | other.ones };
        (both.zeros & both.ones == 0).then_some(both)
    }

    /// The known bits of the union of both sets.
    pub fn join(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    /// Whether the intersection of both sets is empty.
    pub fn excludes(self, other: KnownBits) -> bool {
        self.zeros & other.ones | self.ones & other.zeros != 0
    }

    pub fn and(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros | other.zeros, ones: self.ones & other.ones }
    }

    pub fn or(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros & other.zeros, ones: self.ones | other.ones }
    }

    pub fn xor(self, other: KnownBits) -> KnownBits {
        let known = (self.zeros | self.ones) & (other.zeros | other.ones);
        KnownBits { zeros: !(self.ones ^ other.ones) & known, ones: (self.ones ^ other.ones) & known }
    }

    fn not(self) -> KnownBits {
        KnownBits { zeros: self.ones, ones: self.zeros }
    }

    // The sum with a carry into the lowest bit. The smallest sum has 0 for each unknown bit, and the largest sum has 1.
    // A carry that occurs in both occurs in every sum.
    fn sum(self, other: KnownBits, carry: bool) -> KnownBits {
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry.into());
        let largest = (!self.zeros).wrapping_add(!other.zeros).wrapping_add(carry.into());
        let carried = least ^ self.ones ^ other.ones;
        let not_carried = !(largest ^ !self.zeros ^ !other.zeros);
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & (carried | not_carried);
        KnownBits { zeros: !least & known, ones: least & known }
    }

    /// The known bits of the sum modulo 2^64. The low bits of this sum are the bits of the sum modulo a
    /// smaller power of two.
    pub fn plus(self, other: KnownBits) -> KnownBits {
        self.sum(other, false)
    }

    pub fn minus(self, other: KnownBits) -> KnownBits {
        self.sum(other.not(), true)
    }

    pub fn shifted_left(self, amount: u32) -> KnownBits {
        let low = (1u64 << amount) - 1;
        KnownBits { zeros: self.zeros << amount | low, ones: self.ones << amount }
    }

    /// The known bits after a right shift of a value that has `bits` bits. `fill` selects copies of the sign.
    pub fn shifted_right(self, amount: u32, bits: u32, fill: bool) -> KnownBits {
        let mask = u64::MAX >> (64 - bits);
        let sign = if fill { 1u64 << (bits - 1) } else { 0 };
        let upper = mask & !(mask >> amount);
        let shifted = |own: u64| (own & mask) >> amount | if own & sign != 0 { upper } else { 0 };
        let zeros = shifted(self.zeros) | if fill { 0 } else { upper };
        KnownBits { zeros, ones: shifted(self.ones) }
    }

    /// The known bits of a value that has `bits` bits, after sign extension.
    pub fn sign_extended(self, bits: u32) -> KnownBits {
        let mask = u64::MAX >> (64 - bits);
        let extended = |own: u64| own & mask | if own >> (bits - 1) & 1 != 0 { !mask } else { 0 };
        KnownBits { zeros: extended(self.zeros), ones: extended(self.ones) }
    }

    /// The known bits of a value that has `bits` bits. The bits above this width are known to be 0.
    pub fn cut(self, bits: u32) -> KnownBits {
        let mask = u64::MAX >> (64 - bits);
        KnownBits { zeros: self.zeros | !mask, ones: self.ones & mask }
    }
}
