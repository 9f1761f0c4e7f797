//! Swizzles: functions that combine address bits with higher (or lower) bits by exclusive or.
//!
//! For `S > 0`, `S<B,M,S>` combines bits `[M, M+B)` with bits `[M+S, M+S+B)` of the index by exclusive or. For `S < 0`,
//! the source bits and the target bits are exchanged. The lowest `M` bits are unchanged. Source: `cute/swizzle.hpp` of
//! CUTLASS 3, its comment on the bit patterns.

use crate::error::{Error, Result};
use std::fmt;

/// A swizzle function, written `S<bits,base,shift>`. The parser also accepts `Sw<...>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// The swizzle of `bits` bits from bit `base`. The source bits are `shift` positions higher, or lower if
    /// `shift` is negative.
    ///
    /// # Errors
    /// `bits` or `base` is negative, source and target overlap (`|shift| < bits`), or `bits + base + |shift|` exceeds
    /// 62.
    pub fn new(bits: i64, base: i64, shift: i64) -> Result<Swizzle> {
        let name = format!("swizzle S<{bits},{base},{shift}>");
        if bits < 0 || base < 0 {
            return Err(Error::operand(format!("{name}: the number of bits and the base are not negative")));
        }
        let distance = shift.unsigned_abs();
        if distance < bits as u64 {
            return Err(Error::operand(format!(
                "{name}: the {bits} source bits overlap the target bits; the shift must be at least {bits} or at most \
                 -{bits}"
            )));
        }
        let top = (bits as u64).saturating_add(base as u64).saturating_add(distance);
        if top > 62 {
            return Err(Error::overflow(format!("{name} reaches bit {top}; offsets have 62 bits to swizzle")));
        }
        Ok(Swizzle { bits: bits as u32, base: base as u32, shift: shift as i32 })
    }

    /// The identity swizzle, `S<0,4,3>` in CuTe's notation.
    pub fn identity() -> Swizzle {
        Swizzle { bits: 0, base: 4, shift: 3 }
    }

    /// Number of bits that change.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Number of lowest bits that neither change nor affect other bits.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Distance from the target bits up to the source bits.
    pub fn shift(&self) -> i32 {
        self.shift
    }

    /// The swizzled offset. The swizzle is a bijection of `[0, period)` onto itself, and is its own inverse.
    pub fn apply(&self, offset: u64) -> u64 {
        let mask = (1u64 << self.bits) - 1;
        match self.shift {
            0.. => offset ^ (((offset >> (self.base + self.shift as u32)) & mask) << self.base),
            _ => offset ^ (((offset >> self.base) & mask) << (self.base + self.shift.unsigned_abs())),
        }
    }

    /// The size of the block that the swizzle permutes: `2^(bits + base + |shift|)`.
    pub fn period(&self) -> u64 {
        1 << (self.bits + self.base + self.shift.unsigned_abs())
    }

    /// Whether two applications of the swizzle are the identity. The result is always true, because source bits never
    /// change. The function computes the result for verification.
    pub fn is_involution(&self) -> bool {
        self.basis(self.period()).iter().enumerate().all(|(bit, &image)| self.apply(image) == 1 << bit)
    }

    /// The values of the swizzle at the powers of two below `size`. A swizzle is linear over bits, so its
    /// values at the powers of two determine the swizzle.
    pub fn basis(&self, size: u64) -> Vec<u64> {
        powers_below(size).map(|power| self.apply(power)).collect()
    }
}

/// `1, 2, 4, ...` below `size`.
fn powers_below(size: u64) -> impl Iterator<Item = u64> {
    (0..63).map(|bit| 1u64 << bit).take_while(move |&power| power < size)
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S<{},{},{}>", self.bits, self.base, self.shift)
    }
}

/// The composition of two swizzles, on the offsets below a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwizzlePair {
    /// The values of the composition at the powers of two.
    pub basis: Vec<u64>,
    /// Whether the composition is the identity.
    pub identity: bool,
    /// The first single swizzle that equals the composition, ordered by number of bits, base and shift.
    pub single: Option<Swizzle>,
}

/// The largest bits, base and shift that [`compose_swizzles`] tries for a single swizzle.
const SINGLE: (i64, i64, i64) = (5, 7, 7);

/// `outer ∘ inner` on `[0, size)`.
///
/// The composition and the swizzle are both linear over bits. Every number below `size` is a sum of powers of two below
/// `size`, so the values at these powers decide equality.
pub fn compose_swizzles(outer: &Swizzle, inner: &Swizzle, size: u64) -> SwizzlePair {
    let basis: Vec<u64> = powers_below(size).map(|power| outer.apply(inner.apply(power))).collect();
    let identity = basis.iter().enumerate().all(|(bit, &image)| image == 1 << bit);
    let same = |swizzle: &Swizzle| basis.iter().enumerate().all(|(bit, &image)| swizzle.apply(1 << bit) == image);
    let single = match identity {
        true => Some(Swizzle { bits: 0, base: 0, shift: 0 }),
        false => family(SINGLE.0, SINGLE.1, SINGLE.2).find(same),
    };
    SwizzlePair { basis, identity, single }
}

/// All swizzles with 1 to `bits` bits, a base up to `base`, and a shift up to `shift` in either direction. The simplest
/// swizzles are first.
pub(crate) fn family(bits: i64, base: i64, shift: i64) -> impl Iterator<Item = Swizzle> {
    (1..=bits).flat_map(move |b| {
        (0..=base).flat_map(move |m| {
            let shifts = (b..=shift).flat_map(|s| [s, -s]);
            shifts.filter_map(move |s| Swizzle::new(b, m, s).ok())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Swizzle, compose_swizzles};

    #[test]
    fn the_usual_128_byte_swizzle() {
        let swizzle: Swizzle = "Sw<3,4,3>".parse().unwrap();
        assert_eq!(swizzle.period(), 1024);
        assert_eq!(swizzle.basis(1024), [1, 2, 4, 8, 16, 32, 64, 144, 288, 576]);
        assert_eq!(swizzle.to_string(), "S<3,4,3>");
        assert!(swizzle.is_involution());
    }

    #[test]
    fn a_negative_shift_changes_the_higher_bits() {
        let swizzle: Swizzle = "S<2,4,-2>".parse().unwrap();
        assert_eq!(swizzle.apply(16), 80);
        assert_eq!(swizzle.apply(64), 64);
    }

    #[test]
    fn pairs_are_compared_bit_by_bit() {
        let a: Swizzle = "S<3,3,4>".parse().unwrap();
        assert!(compose_swizzles(&a, &a, 1024).identity);
        let (one, other): (Swizzle, Swizzle) = ("S<1,3,3>".parse().unwrap(), "S<1,4,3>".parse().unwrap());
        assert_eq!(compose_swizzles(&one, &other, 256).single, Some("S<2,3,3>".parse().unwrap()));
        let crossed: Swizzle = "S<2,0,-3>".parse().unwrap();
        assert_eq!(compose_swizzles(&a, &crossed, 1024).single, None);
    }

    #[test]
    fn invalid_swizzle_is_rejected() {
        let message = |text: &str| text.parse::<Swizzle>().unwrap_err().message;
        assert!(message("S<3,2,2>").contains("the 3 source bits overlap the target bits"));
        assert!(message("S<-1,2,2>").contains("are not negative"));
        assert!(message("S<3,40,40>").contains("reaches bit 83"));
        assert!(message("(4):(1)").contains("expected a swizzle such as S<3,4,3>, found `(`"));
    }
}
