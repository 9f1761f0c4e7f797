//! `cube.cast`: from any number to any other, rounded once. A number is taken apart into sign, magnitude and power of two,
//! which is exact for all types, and put together again.
use super::ints::{mask, signed};
use crate::shape::Kind;

/// A float format: widths of exponent and fraction, bits below that are not used, and whether it has infinity.
#[derive(Clone, Copy)]
struct Layout {
    exponent: u32,
    fraction: u32,
    unused: u32,
    infinite: bool,
}

const LAYOUTS: [Layout; 7] = [
    Layout { exponent: 5, fraction: 10, unused: 0, infinite: true },
    Layout { exponent: 8, fraction: 7, unused: 0, infinite: true },
    Layout { exponent: 8, fraction: 23, unused: 0, infinite: true },
    Layout { exponent: 11, fraction: 52, unused: 0, infinite: true },
    Layout { exponent: 4, fraction: 3, unused: 0, infinite: false },
    Layout { exponent: 5, fraction: 2, unused: 0, infinite: true },
    Layout { exponent: 8, fraction: 10, unused: 13, infinite: true },
];

/// Above the widths of integers: the number of a float's layout.
const FLOATS: u32 = 100;

/// What a conversion does beside its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// The operand has no sign.
    pub from_unsigned: bool,
    /// The result has no sign.
    pub to_unsigned: bool,
    /// What is too large becomes the largest.
    pub saturate: bool,
    /// 0 to nearest even, 1 towards zero, 2 up, 3 down.
    pub rounding: u32,
}

fn code(kind: Kind) -> Option<u32> {
    Some(match kind {
        Kind::Int(bits) => bits,
        Kind::Index => 64,
        Kind::F16 => FLOATS,
        Kind::BF16 => FLOATS + 1,
        Kind::F32 => FLOATS + 2,
        Kind::F64 => FLOATS + 3,
        Kind::F8E4M3 => FLOATS + 4,
        Kind::F8E5M2 => FLOATS + 5,
        Kind::TF32 => FLOATS + 6,
        Kind::Buffer | Kind::Slice | Kind::Aggregate => return None,
    })
}

/// The number that tells [`cast`] what to do.
pub fn plan(from: Kind, to: Kind, how: How) -> Option<u32> {
    let flags = u32::from(how.from_unsigned) | u32::from(how.to_unsigned) << 1 | u32::from(how.saturate) << 2;
    Some(code(from)? | code(to)? << 8 | (flags | how.rounding << 3) << 16)
}

/// A number taken apart.
pub enum Parts {
    /// None.
    Nan,
    /// Beyond all.
    Infinite {
        /// Its sign.
        negative: bool,
    },
    /// `magnitude * 2^power`
    Finite {
        /// Its sign.
        negative: bool,
        /// Not normalised.
        magnitude: u64,
        /// Of two.
        power: i32,
    },
}

/// A float taken apart.
pub fn parts(bits: u64, kind: Kind) -> Option<Parts> {
    let layout = code(kind)?.checked_sub(FLOATS)?;
    Some(apart(bits, LAYOUTS[layout as usize]))
}

fn apart(bits: u64, layout: Layout) -> Parts {
    let bits = bits >> layout.unused;
    let (exponent, fraction) = (layout.exponent, layout.fraction);
    let top = (1u64 << exponent) - 1;
    let negative = bits >> (exponent + fraction) & 1 == 1;
    let (e, f) = (bits >> fraction & top, bits & mask_of(fraction));
    if layout.infinite && e == top {
        return if f == 0 { Parts::Infinite { negative } } else { Parts::Nan };
    }
    if !layout.infinite && e == top && f == mask_of(fraction) {
        return Parts::Nan;
    }
    let bias = (top >> 1) as i32 + fraction as i32;
    match e {
        0 => Parts::Finite { negative, magnitude: f, power: 1 - bias },
        _ => Parts::Finite { negative, magnitude: f | 1 << fraction, power: e as i32 - bias },
    }
}

fn mask_of(bits: u32) -> u64 {
    (1u64 << bits) - 1
}

fn together(parts: Parts, layout: Layout, saturate: bool, rounding: u32) -> u64 {
    let (exponent, fraction) = (layout.exponent, layout.fraction);
    let top = (1u64 << exponent) - 1;
    let infinity = top << fraction;
    let (nan, largest) = match layout.infinite {
        true => (infinity | 1 << (fraction - 1), infinity - 1),
        false => (infinity | mask_of(fraction), (infinity | mask_of(fraction)) - 1),
    };
    let beyond = if layout.infinite { infinity } else { nan };
    let sign = |negative: bool| u64::from(negative) << (exponent + fraction);
    let bits = match parts {
        Parts::Nan => nan,
        Parts::Infinite { negative } => sign(negative) | if saturate { largest } else { beyond },
        Parts::Finite { negative, magnitude: 0, .. } => sign(negative),
        Parts::Finite { negative, magnitude, power } => {
            let up = [false, false, !negative, negative][rounding as usize & 3];
            let nearest = rounding == 0;
            let width = 64 - magnitude.leading_zeros() as i32;
            // The power of the last place: that of the leading bit less the fraction, but not below the smallest.
            let smallest = 1 - (top >> 1) as i32 - fraction as i32;
            let last = (power + width - 1 - fraction as i32).max(smallest);
            let shift = last - power;
            let (kept, rest, half) = match shift {
                ..=0 => (magnitude << -shift, 0u128, 1u128),
                1..=64 => {
                    let wide = u128::from(magnitude);
                    ((wide >> shift) as u64, wide & ((1 << shift) - 1), 1u128 << (shift - 1))
                }
                // Less than half of the last place.
                _ => (0, 1, 2),
            };
            let away =
                if nearest { rest > half || rest == half && shift > 0 && kept & 1 == 1 } else { up && rest != 0 };
            let rounded = kept + u64::from(away);
            // A carry out of the fraction moves into the exponent by itself.
            let biased = (last - smallest) as u64;
            let pattern = if kept >> fraction == 0 { rounded } else { (biased << fraction) + rounded };
            let outward = nearest || up;
            let fits = pattern <= largest;
            sign(negative)
                | if fits {
                    pattern
                } else if saturate || !outward {
                    largest
                } else {
                    beyond
                }
        }
    };
    bits << layout.unused
}

/// The conversion that `plan` describes.
pub fn cast(value: u64, plan: u32) -> u64 {
    let (from, to, flags) = (plan & 0xff, plan >> 8 & 0xff, plan >> 16);
    let (from_unsigned, to_unsigned, saturate) = (flags & 1 == 1, flags & 2 == 2, flags & 4 == 4);
    // A bool has no sign.
    let (from_unsigned, to_unsigned) = (from_unsigned || from == 1, to_unsigned || to == 1);
    if from < FLOATS && to < FLOATS {
        let number = if from_unsigned { i128::from(value) } else { i128::from(signed(value, from)) };
        return match to {
            1 => u64::from(number != 0),
            _ if saturate => clamp(number, to, to_unsigned),
            _ => number as u64 & mask(to),
        };
    }
    let parts = match from.checked_sub(FLOATS) {
        Some(layout) => apart(value, LAYOUTS[layout as usize]),
        None => {
            let negative = !from_unsigned && signed(value, from) < 0;
            let magnitude = if negative { signed(value, from).unsigned_abs() } else { value };
            Parts::Finite { negative, magnitude, power: 0 }
        }
    };
    match to.checked_sub(FLOATS) {
        Some(layout) => {
            // An integer's 0 has no sign, and is none of a float's.
            together(parts, LAYOUTS[layout as usize], saturate, flags >> 3)
        }
        None => to_int(parts, to, to_unsigned),
    }
}

fn to_int(parts: Parts, bits: u32, unsigned: bool) -> u64 {
    match parts {
        _ if bits == 1 => u64::from(!matches!(parts, Parts::Finite { magnitude: 0, .. })),
        Parts::Nan => 0,
        Parts::Infinite { negative } => clamp(if negative { i128::MIN } else { i128::MAX }, bits, unsigned),
        Parts::Finite { negative, magnitude, power } => {
            let wide = match power {
                // Beyond 2^64 whatever the magnitude is; zero has power 0 or below.
                64.. if magnitude != 0 => 1 << 120,
                0..64 => u128::from(magnitude) << power,
                -64..0 => u128::from(magnitude >> -power.max(-63)) * u128::from(power > -64),
                _ => 0,
            };
            let number = wide.min(1 << 120) as i128;
            clamp(if negative { -number } else { number }, bits, unsigned)
        }
    }
}

fn clamp(number: i128, bits: u32, unsigned: bool) -> u64 {
    let (low, high) = match unsigned {
        true => (0, i128::from(mask(bits))),
        false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    };
    number.clamp(low, high) as u64 & mask(bits)
}

/// A float in another format, rounded once; 0 where the kind is no float.
pub fn of_double(x: f64, kind: Kind) -> u64 {
    if !kind.is_float() {
        return 0;
    }
    plan(Kind::F64, kind, How::default()).map_or(0, |plan| cast(x.to_bits(), plan))
}
