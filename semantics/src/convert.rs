//! Conversions. `cube.cast` converts any number to any other type and rounds once. The cast decomposes the operand into
//! sign, magnitude and power of two, which is exact for all types. The cast then combines sign, magnitude and power of
//! two into a number of the result type. A conversion of `arith` accepts only certain types, and can have no defined
//! result for some operands.
use crate::floats;
use crate::ints::{self, Promise, mask, signed};
use crate::{Flaw, Fn1, Outcome};
use cube_target::{Element, Format, Special};

/// The type of a number: an integer type or a float type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A signless integer of 1 to 64 bits; the type `index` has 64 bits.
    Int(u32),
    /// A float type of the table of element types, either with arithmetic or for storage only.
    Float(Element),
}

macro_rules! floats_of_the_table {
    ($($name:ident $ir:literal $bits:literal $class:ident $how:ident($($of:tt)*);)*) => {
        impl Number { $(floats_of_the_table! { @ $class $name $ir })* }
    };
    (@ Float $name:ident $ir:literal) => {
        #[doc = concat!("`", $ir, "` in the IR.")]
        pub const $name: Number = Number::Float(Element::$name);
    };
    (@ $class:ident $name:ident $ir:literal) => {};
}

cube_target::elements! { [floats_of_the_table] }

impl Number {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Number::Int(bits) => bits,
            Number::Float(element) => element.bits(),
        }
    }

    /// The index of the format in a [`floats::ByFormat`], for floats with arithmetic.
    pub fn format(self) -> Option<usize> {
        crate::COMPUTED.iter().position(|element| Number::Float(*element) == self)
    }

    /// Whether the type is a float, either with arithmetic or for storage only.
    pub fn is_float(self) -> bool {
        matches!(self, Number::Float(_))
    }

    /// The type whose name in the IR is `name`.
    pub fn named(name: &str) -> Option<Number> {
        if name == "index" {
            return Some(Number::Int(64));
        }
        if let Some(element) = Element::from_ir(name).filter(|element| element.format().is_some()) {
            return Some(Number::Float(element));
        }
        Some(Number::Int(name.strip_prefix('i')?.parse().ok().filter(|bits| (1..=64).contains(bits))?))
    }

    /// The number that a bit pattern represents. The result is exact for floats. Integers are interpreted as
    /// signed, and rounded once.
    pub fn to_double(self, bits: u64) -> f64 {
        f64::from_bits(cast_packed(bits, pack(self, Number::F64, Cast::default())))
    }
}

/// The formats of all element types, indexed by the position in the table of element types. The entries of
/// integer types are unused.
const LAYOUTS: [Format; Element::ALL.len()] = {
    let mut all =
        [Format { exponent: 0, fraction: 0, unused: 0, special: Special::InfinityAndNan }; Element::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        if let Some(format) = Element::ALL[i].format() {
            all[i] = format;
        }
        i += 1;
    }
    all
};

/// The type number of the first float format. Type numbers below this constant are the widths of integer
/// types.
const FLOATS: u32 = 100;

/// The options of `cube.cast`, except its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cast {
    /// Whether an integer operand is interpreted as unsigned.
    pub from_unsigned: bool,
    /// Whether an integer result is interpreted as unsigned.
    pub to_unsigned: bool,
    /// Whether a result that is too large becomes the largest number of the result type.
    pub saturate: bool,
    /// The rounding of a result between two neighbouring floats.
    pub rounding: Rounding,
}

/// The rounding mode: it selects the neighbouring float for a result that is not exactly representable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// The nearer neighbour. If both neighbours are equally near, the even neighbour is the result.
    #[default]
    NearestEven,
    /// The neighbour nearer to zero.
    TowardZero,
    /// The larger neighbour.
    Upward,
    /// The smaller neighbour.
    Downward,
}

impl Rounding {
    /// All roundings.
    pub const ALL: [Rounding; 4] = [Rounding::NearestEven, Rounding::TowardZero, Rounding::Upward, Rounding::Downward];
}

fn code(number: Number) -> u32 {
    match number {
        Number::Int(bits) => bits,
        Number::Float(element) => FLOATS + element as u32,
    }
}

/// Packs the types and options of a cast into one number for [`cast_packed`].
pub fn pack(from: Number, to: Number, cast: Cast) -> u32 {
    let flags = u32::from(cast.from_unsigned) | u32::from(cast.to_unsigned) << 1 | u32::from(cast.saturate) << 2;
    code(from) | code(to) << 8 | (flags | (cast.rounding as u32) << 3) << 16
}

/// A conversion between two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Truncation of a wider integer to its low bits.
    Truncate,
    /// Sign extension of an integer.
    SignExtend,
    /// Zero extension of an integer.
    ZeroExtend,
    /// Conversion between an integer and `index`: `Truncate` or `SignExtend`, depending on the widths.
    IndexSigned,
    /// Conversion between an integer and `index`: `Truncate` or `ZeroExtend`, depending on the widths.
    IndexUnsigned,
    /// Conversion between two float formats, rounded to nearest, ties to even.
    Float,
    /// Conversion of a signed integer to a float, rounded to nearest, ties to even.
    OfSigned,
    /// Conversion of an unsigned integer to a float, rounded to nearest, ties to even.
    OfUnsigned,
    /// Conversion of a float to a signed integer, rounded towards zero; poison if the integer type cannot
    /// represent the result.
    ToSigned,
    /// Conversion of a float to an unsigned integer, rounded towards zero; poison if the integer type cannot
    /// represent the result.
    ToUnsigned,
    /// Reinterpretation of the bits as a value of another type of equal width. A float of fewer than 8 bits is stored in
    /// a byte, whose upper bits are ignored.
    Bits,
    /// `cube.cast` with its options. The result of `cube.cast` is defined for every operand.
    Cast(Cast),
}

/// The computation of one conversion between two types.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The function that converts a value; `None` if the conversion does not change the bit pattern.
    pub function: Option<Fn1>,
    /// The last argument of calls of `function`.
    pub imm: u32,
    /// The operand values for which the result is undefined; `None` if the result is always defined.
    pub flaw: Option<Flaw>,
}

impl Plan {
    const SAME: Plan = Plan { function: None, imm: 0, flaw: None };

    fn by(function: Fn1, imm: u32) -> Plan {
        Plan { function: Some(function), imm, flaw: None }
    }
}

impl Conversion {
    /// All conversions that correspond to the name of an MLIR operation. The array `ALL` does not contain
    /// `Cast`, because the attributes of `cube.cast` define that conversion.
    pub const ALL: [Conversion; 11] = [
        Conversion::Truncate,
        Conversion::SignExtend,
        Conversion::ZeroExtend,
        Conversion::IndexSigned,
        Conversion::IndexUnsigned,
        Conversion::Float,
        Conversion::OfSigned,
        Conversion::OfUnsigned,
        Conversion::ToSigned,
        Conversion::ToUnsigned,
        Conversion::Bits,
    ];

    /// The names of the MLIR operations that compute this conversion.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Conversion::Truncate => &["arith.trunci", "llvm.trunc"],
            Conversion::SignExtend => &["arith.extsi", "llvm.sext"],
            Conversion::ZeroExtend => &["arith.extui", "llvm.zext"],
            Conversion::IndexSigned => &["arith.index_cast"],
            Conversion::IndexUnsigned => &["arith.index_castui"],
            Conversion::Float => &["arith.extf", "arith.truncf", "llvm.fpext", "llvm.fptrunc"],
            Conversion::OfSigned => &["arith.sitofp", "llvm.sitofp"],
            Conversion::OfUnsigned => &["arith.uitofp", "llvm.uitofp"],
            Conversion::ToSigned => &["arith.fptosi", "llvm.fptosi"],
            Conversion::ToUnsigned => &["arith.fptoui", "llvm.fptoui"],
            Conversion::Bits => &["arith.bitcast", "vector.bitcast", "llvm.bitcast"],
            Conversion::Cast(_) => &[],
        }
    }

    /// The computation of the conversion between two types; `None` if the conversion does not exist for these
    /// types.
    pub fn plan(self, from: Number, to: Number) -> Option<Plan> {
        let (f, t) = (from.bits(), to.bits());
        if [from, to].iter().any(|number| matches!(number, Number::Int(0 | 65..))) {
            return None;
        }
        let ints = !from.is_float() && !to.is_float();
        let truncate = Plan::by(ints::truncate, t);
        let sign_extend = Plan::by(ints::extend, f | t << 8);
        match self {
            Conversion::Truncate if ints && f >= t => Some(truncate),
            Conversion::SignExtend if ints && f <= t => Some(sign_extend),
            Conversion::ZeroExtend if ints && f <= t => Some(Plan::SAME),
            Conversion::IndexSigned | Conversion::IndexUnsigned if !ints => None,
            Conversion::IndexSigned | Conversion::IndexUnsigned if f == t => Some(Plan::SAME),
            Conversion::IndexSigned | Conversion::IndexUnsigned if f > t => Some(truncate),
            Conversion::IndexSigned => Some(sign_extend),
            Conversion::IndexUnsigned => Some(Plan::SAME),
            Conversion::Float if from.is_float() && to.is_float() => Some(match (from.format(), to.format()) {
                (Some(from), Some(to)) => Plan::by(floats::CAST[from][to], 0),
                _ => Plan::by(cast_packed, pack(from, to, Cast::default())),
            }),
            Conversion::OfSigned if !from.is_float() => Some(Plan::by(floats::OF_SIGNED[to.format()?], f)),
            Conversion::OfUnsigned if !from.is_float() => Some(Plan::by(floats::OF_UNSIGNED[to.format()?], f)),
            Conversion::ToSigned if !to.is_float() => {
                let format = from.format()?;
                let flaw = Some(floats::OUTSIDE_SIGNED[format]);
                Some(Plan { flaw, ..Plan::by(floats::TO_SIGNED[format], t) })
            }
            Conversion::ToUnsigned if !to.is_float() => {
                let format = from.format()?;
                let flaw = Some(floats::OUTSIDE_UNSIGNED[format]);
                Some(Plan { flaw, ..Plan::by(floats::TO_UNSIGNED[format], t) })
            }
            // The upper bits of a byte that stores a narrower float are not a part of the number.
            Conversion::Bits if f == t && f < 8 && from.is_float() => Some(truncate),
            Conversion::Bits => (f == t).then_some(Plan::SAME),
            Conversion::Cast(cast) => Some(Plan::by(cast_packed, pack(from, to, cast))),
            _ => None,
        }
    }

    /// The flaw of operands that violate a promise such as `nsw`; `None` if the promise does not apply to the
    /// conversion.
    pub fn violation_of(self, promise: Promise) -> Option<Flaw> {
        if self == Conversion::Truncate { ints::lost_by_truncation(promise) } else { None }
    }

    /// Converts the constant `value` from type `from` to type `to`.
    pub fn evaluate(self, from: Number, to: Number, value: u64) -> Outcome {
        let Some(plan) = self.plan(from, to) else {
            return Outcome::Unsupported("conversion between these types");
        };
        let result = plan.function.map_or(value, |function| function(value, plan.imm));
        Outcome::checked(plan.flaw.as_slice(), [value, 0], from.bits() | to.bits() << 8, result)
    }

    /// The result of a conversion between integers, sign-extended to 64 bits. The bits of the operand above its width
    /// are ignored. `None` if the result is not defined.
    pub fn of_signed(self, from: u32, to: u32, value: i64) -> Option<i64> {
        let numbers = [from, to].map(|bits| (1..=64).contains(&bits).then_some(Number::Int(bits)));
        let [Some(f), Some(t)] = numbers else { return None };
        self.evaluate(f, t, value as u64 & mask(from)).value().map(|value| signed(value, to))
    }
}

/// A number decomposed into its parts.
pub enum Parts {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite {
        /// Whether the number is negative.
        negative: bool,
    },
    /// The number `magnitude * 2^power` with a sign.
    Finite {
        /// Whether the number is negative.
        negative: bool,
        /// The magnitude as an integer, which is not normalised.
        magnitude: u64,
        /// The exponent of the power of two.
        power: i32,
    },
}

/// Decomposes a float into its parts; `None` for an integer.
pub fn parts(bits: u64, number: Number) -> Option<Parts> {
    let layout = code(number).checked_sub(FLOATS).filter(|_| number.is_float())?;
    Some(apart(bits, LAYOUTS[layout as usize]))
}

fn apart(bits: u64, layout: Format) -> Parts {
    let bits = bits >> layout.unused;
    let (exponent, fraction) = (layout.exponent, layout.fraction);
    let top = (1u64 << exponent) - 1;
    let negative = layout.is_signed() && bits >> (exponent + fraction) & 1 == 1;
    let (e, f) = (bits >> fraction & top, bits & mask_of(fraction));
    let magnitude = bits & (layout.sign() - 1);
    if Some(magnitude) == layout.infinity() {
        return Parts::Infinite { negative };
    }
    if magnitude >= layout.beyond() {
        return Parts::Nan;
    }
    let bias = (top >> 1) as i32 + fraction as i32;
    match e {
        0 if layout.is_signed() => Parts::Finite { negative, magnitude: f, power: 1 - bias },
        _ => Parts::Finite { negative, magnitude: f | 1 << fraction, power: e as i32 - bias },
    }
}

fn mask_of(bits: u32) -> u64 {
    (1u64 << bits) - 1
}

fn together(parts: Parts, layout: Format, saturate: bool, rounding: u32) -> u64 {
    let (exponent, fraction) = (layout.exponent, layout.fraction);
    let top = (1u64 << exponent) - 1;
    let (nan, largest, beyond) = (layout.nan(), layout.most(), layout.overflow());
    let sign = |negative: bool| u64::from(negative) << (exponent + fraction);
    // The smallest number of a format without a sign is positive.
    let parts = match parts {
        Parts::Infinite { negative: true } | Parts::Finite { negative: true, .. } if !layout.is_signed() => {
            Parts::Finite { negative: false, magnitude: 0, power: 0 }
        }
        parts => parts,
    };
    let bits = match parts {
        Parts::Nan => nan,
        Parts::Infinite { negative } => sign(negative) | if saturate { largest } else { beyond },
        Parts::Finite { negative, magnitude: 0, .. } => sign(negative),
        Parts::Finite { negative, magnitude, power } => {
            let up = [false, false, !negative, negative][rounding as usize & 3];
            let nearest = rounding == 0;
            let width = 64 - magnitude.leading_zeros() as i32;
            // The power of the last place: the power of the leading bit minus the number of fraction bits, but at least
            // the smallest power.
            let smallest = i32::from(layout.is_signed()) - (top >> 1) as i32 - fraction as i32;
            let last = (power + width - 1 - fraction as i32).max(smallest);
            let shift = last - power;
            let (kept, rest, half) = match shift {
                ..=0 => (magnitude << -shift, 0u128, 1u128),
                1..=64 => {
                    let wide = u128::from(magnitude);
                    ((wide >> shift) as u64, wide & ((1 << shift) - 1), 1u128 << (shift - 1))
                }
                // The remaining bits are less than half of the last place.
                _ => (0, 1, 2),
            };
            let away =
                if nearest { rest > half || rest == half && shift > 0 && kept & 1 == 1 } else { up && rest != 0 };
            let rounded = kept + u64::from(away);
            // A carry out of the fraction increments the exponent, because the fields are adjacent.
            let biased = (last - smallest) as u64;
            let pattern = if kept >> fraction == 0 { rounded } else { (biased << fraction) + rounded };
            // The patterns of a format without zero begin with the pattern of the smallest positive number.
            let pattern = if layout.is_signed() { pattern } else { pattern.saturating_sub(1) };
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

/// Executes the cast whose types and options [`pack`] has packed.
pub fn cast_packed(value: u64, plan: u32) -> u64 {
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
            // An integer 0 has no sign, but a float 0 has one.
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
                // The shifted number exceeds 2^64 for any magnitude. Zero has power 0 or below.
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

/// The bit pattern of `x` in a float type, rounded once to nearest, ties to even; 0 if the type is not a float.
pub fn of_double(x: f64, number: Number) -> u64 {
    if number.is_float() { cast_packed(x.to_bits(), pack(Number::F64, number, Cast::default())) } else { 0 }
}
