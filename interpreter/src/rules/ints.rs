//! Integers: bit patterns of a width, zeros above. They wrap; where arith has no defined result, the function gives the one of
//! `cube`'s total operation, and the flaw says so.
use crate::program::Flaw;
use cube_ir::Op;

/// All bits of a width.
#[inline(always)]
pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The signed value of a pattern.
#[inline(always)]
pub fn signed(v: u64, bits: u32) -> i64 {
    (v << (64 - bits)) as i64 >> (64 - bits)
}

macro_rules! binary {
    ($($name:ident($a:ident, $b:ident, $w:ident) = $value:expr;)*) => {
        $(#[inline(always)] pub fn $name($a: u64, $b: u64, $w: u32) -> u64 { $value })*
    };
}

binary! {
    add(a, b, w) = a.wrapping_add(b) & mask(w);
    sub(a, b, w) = a.wrapping_sub(b) & mask(w);
    mul(a, b, w) = a.wrapping_mul(b) & mask(w);
    and(a, b, _w) = a & b;
    or(a, b, _w) = a | b;
    xor(a, b, _w) = a ^ b;
    divu(a, b, _w) = a.checked_div(b).unwrap_or(a);
    remu(a, b, _w) = a.checked_rem(b).unwrap_or(0);
    divs(a, b, w) = if b == 0 { a } else { signed(a, w).wrapping_div(signed(b, w)) as u64 & mask(w) };
    rems(a, b, w) = if b == 0 { 0 } else { signed(a, w).wrapping_rem(signed(b, w)) as u64 & mask(w) };
    ceil_divu(a, b, w) = if b == 0 { a } else { a.div_ceil(b) & mask(w) };
    ceil_divs(a, b, w) = if b == 0 { a } else { rounded(a, b, w, 1) };
    floor_divs(a, b, w) = if b == 0 { a } else { rounded(a, b, w, -1) };
    shl(a, b, w) = a << (b % u64::from(w)) & mask(w);
    shru(a, b, w) = a >> (b % u64::from(w));
    shrs(a, b, w) = (signed(a, w) >> (b % u64::from(w))) as u64 & mask(w);
    minu(a, b, _w) = a.min(b);
    maxu(a, b, _w) = a.max(b);
    mins(a, b, w) = if signed(a, w) <= signed(b, w) { a } else { b };
    maxs(a, b, w) = if signed(a, w) >= signed(b, w) { a } else { b };
    carry(a, b, w) = u64::from((u128::from(a) + u128::from(b)) >> w != 0);
    mulu_high(a, b, w) = ((u128::from(a) * u128::from(b)) >> w) as u64 & mask(w);
    muls_high(a, b, w) = ((i128::from(signed(a, w)) * i128::from(signed(b, w))) >> w) as u64 & mask(w);
    adds_sat(a, b, w) = clamped(i128::from(signed(a, w)) + i128::from(signed(b, w)), w);
    subs_sat(a, b, w) = clamped(i128::from(signed(a, w)) - i128::from(signed(b, w)), w);
    addu_sat(a, b, w) = (u128::from(a) + u128::from(b)).min(u128::from(mask(w))) as u64;
    subu_sat(a, b, _w) = a.saturating_sub(b);
    power(a, b, w) = ipow(a, signed(b, w), w);
}

/// `arith.cmpi` by predicate number.
pub const COMPARE: [fn(u64, u64, u32) -> u64; 10] = [
    |a, b, _| u64::from(a == b),
    |a, b, _| u64::from(a != b),
    |a, b, w| u64::from(signed(a, w) < signed(b, w)),
    |a, b, w| u64::from(signed(a, w) <= signed(b, w)),
    |a, b, w| u64::from(signed(a, w) > signed(b, w)),
    |a, b, w| u64::from(signed(a, w) >= signed(b, w)),
    |a, b, _| u64::from(a < b),
    |a, b, _| u64::from(a <= b),
    |a, b, _| u64::from(a > b),
    |a, b, _| u64::from(a >= b),
];

// The quotient towards zero, moved by one to `side` where it is not exact and lies on the other side.
fn rounded(a: u64, b: u64, w: u32, side: i64) -> u64 {
    let (a, b) = (signed(a, w), signed(b, w));
    let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
    let positive = (rest < 0) == (b < 0);
    let off = rest != 0 && positive == (side > 0);
    (if off { quotient.wrapping_add(side) } else { quotient }) as u64 & mask(w)
}

// A negative power is what integer division of 1 gives: 1 and -1 keep a magnitude of 1, all others give 0.
fn ipow(base: u64, exponent: i64, w: u32) -> u64 {
    if exponent < 0 {
        return match signed(base, w) {
            1 => 1 & mask(w),
            -1 if exponent % 2 == 0 => 1,
            -1 => mask(w),
            _ => 0,
        };
    }
    let (mut result, mut square, mut left) = (1u64, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        (square, left) = (square.wrapping_mul(square), left >> 1);
    }
    result & mask(w)
}

fn clamped(v: i128, w: u32) -> u64 {
    let top = (1i128 << (w - 1)) - 1;
    v.clamp(-top - 1, top) as u64 & mask(w)
}

/// The bits in the opposite order.
pub fn reverse(a: u64, w: u32) -> u64 {
    a.reverse_bits() >> (64 - w)
}

/// `|a|`; that of MIN wraps to MIN.
pub fn abs(a: u64, w: u32) -> u64 {
    signed(a, w).unsigned_abs() & mask(w)
}

/// Zeros from the top; all of them for 0.
pub fn leading_zeros(a: u64, w: u32) -> u64 {
    u64::from(a.leading_zeros() - (64 - w)) & mask(w)
}

/// Zeros from the bottom; all of them for 0.
pub fn trailing_zeros(a: u64, w: u32) -> u64 {
    u64::from(a.trailing_zeros().min(w)) & mask(w)
}

/// Ones.
pub fn ones(a: u64, w: u32) -> u64 {
    u64::from(a.count_ones()) & mask(w)
}

/// The low bits.
pub fn truncate(a: u64, w: u32) -> u64 {
    a & mask(w)
}

/// From the width in the low byte of `widths` to the one above it, with the sign.
pub fn extend(a: u64, widths: u32) -> u64 {
    signed(a, widths & 0xff) as u64 & mask(widths >> 8)
}

const fn flaw(immediate: bool, why: &'static str, test: fn(u64, u64, u32) -> bool) -> Flaw {
    Flaw { immediate, why, test }
}

fn low(w: u32) -> u32 {
    w & 0xff
}

fn min_value(w: u32) -> u64 {
    1 << (w - 1)
}

fn fits(v: i128, w: u32) -> bool {
    v >= -(1i128 << (w - 1)) && v < 1i128 << (w - 1)
}

/// Division by zero.
pub const BY_ZERO: Flaw = flaw(true, "division by zero", |_, b, _| b == 0);
/// The quotient of MIN and -1 has no pattern.
pub const MIN_BY_MINUS_ONE: Flaw =
    flaw(true, "the smallest number divided by -1", |a, b, w| a == min_value(low(w)) && b == mask(low(w)));
/// Shift out of range.
pub const WIDE_SHIFT: Flaw = flaw(false, "shift by the width or more", |_, b, w| b >= u64::from(low(w)));
/// `exact` division with a rest.
pub const REST_U: Flaw = flaw(false, "exact division leaves a rest", |a, b, _| b != 0 && a % b != 0);
/// `exact` signed division with a rest.
pub const REST_S: Flaw = flaw(false, "exact division leaves a rest", |a, b, w| rems(a, b, low(w)) != 0);
/// `exact` shift right that loses ones.
pub const LOST_BITS: Flaw =
    flaw(false, "exact shift loses bits", |a, b, w| b < u64::from(low(w)) && a & !(u64::MAX << b) != 0);

/// What `overflow<nsw>` promises of an operation.
pub fn signed_overflow(name: &str) -> Option<Flaw> {
    const WHY: &str = "signed overflow in spite of nsw";
    Some(match name {
        "arith.addi" => {
            flaw(false, WHY, |a, b, w| !fits(i128::from(signed(a, low(w))) + i128::from(signed(b, low(w))), low(w)))
        }
        "arith.subi" => {
            flaw(false, WHY, |a, b, w| !fits(i128::from(signed(a, low(w))) - i128::from(signed(b, low(w))), low(w)))
        }
        "arith.muli" => {
            flaw(false, WHY, |a, b, w| !fits(i128::from(signed(a, low(w))) * i128::from(signed(b, low(w))), low(w)))
        }
        "arith.shli" => flaw(false, WHY, |a, b, w| shrs(shl(a, b, low(w)), b, low(w)) != a),
        "arith.trunci" => flaw(false, WHY, |a, _, w| !fits(i128::from(signed(a, low(w))), w >> 8)),
        _ => return None,
    })
}

/// What `overflow<nuw>` promises of an operation.
pub fn unsigned_overflow(name: &str) -> Option<Flaw> {
    const WHY: &str = "unsigned overflow in spite of nuw";
    Some(match name {
        "arith.addi" => flaw(false, WHY, |a, b, w| carry(a, b, low(w)) != 0),
        "arith.subi" => flaw(false, WHY, |a, b, _| a < b),
        "arith.muli" => flaw(false, WHY, |a, b, w| mulu_high(a, b, low(w)) != 0),
        "arith.shli" => flaw(false, WHY, |a, b, w| shru(shl(a, b, low(w)), b, low(w)) != a),
        "arith.trunci" => flaw(false, WHY, |a, _, w| a > mask(w >> 8)),
        _ => return None,
    })
}

/// What the flags of an integer operation promise.
pub fn promised(op: Op<'_>) -> Vec<Flaw> {
    let flags = op.attr("overflowFlags").map(|a| a.to_string()).unwrap_or_default();
    let mut all = Vec::new();
    if flags.contains("nsw") {
        all.extend(signed_overflow(op.name()));
    }
    if flags.contains("nuw") {
        all.extend(unsigned_overflow(op.name()));
    }
    if op.attr("isExact").is_some() {
        all.push(match op.name() {
            "arith.divui" => REST_U,
            "arith.divsi" => REST_S,
            _ => LOST_BITS,
        });
    }
    all
}
