//! Integers: bit patterns with a width of 1 to 64 bits, zero-extended. Arithmetic wraps. For operands without a defined
//! result, the function of an `arith` operation returns the result of the corresponding total operation of `cube`. A
//! [`Flaw`] describes these operands.
//!
//! Each operation has a function and one row of `operations!`. The row contains the variant, the operands, the
//! function, the names of the equivalent MLIR operations, and the flaws.
use crate::{Flaw, Fn1, Fn2, Outcome};
use std::ops::RangeInclusive;

/// The mask with the low `bits` bits set.
#[inline(always)]
pub const fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The value of a bit pattern as a signed integer.
#[inline(always)]
pub const fn signed(v: u64, bits: u32) -> i64 {
    (v << (64 - bits)) as i64 >> (64 - bits)
}

macro_rules! binary {
    ($($name:ident($a:ident, $b:ident, $w:ident) = $value:expr;)*) => {
        $(
            #[doc = concat!("`", stringify!($value), "`, for patterns of a width.")]
            #[inline(always)]
            pub fn $name($a: u64, $b: u64, $w: u32) -> u64 { $value }
        )*
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
    dot(a, b, w) = (0..w / 8).map(|i| byte(a, i) * byte(b, i)).sum::<i64>() as u64 & mask(w);
    power(a, b, w) = ipow(a, signed(b, w), w);
}

// The quotient rounded up if `side` is 1, and down if `side` is -1. The function corrects the quotient
// rounded towards zero by `side` if the division is inexact and the exact quotient is on that side.
fn rounded(a: u64, b: u64, w: u32, side: i64) -> u64 {
    let (a, b) = (signed(a, w), signed(b, w));
    let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
    let positive = (rest < 0) == (b < 0);
    let off = rest != 0 && positive == (side > 0);
    (if off { quotient.wrapping_add(side) } else { quotient }) as u64 & mask(w)
}

// A negative power is the integer quotient 1 / base^n. It is 1 or -1 for the bases 1 and -1, and 0 for all others.
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

/// The bits of the operand in reverse order.
pub fn reverse(a: u64, w: u32) -> u64 {
    a.reverse_bits() >> (64 - w)
}

/// The absolute value `|a|` of a signed integer; the absolute value of MIN wraps to MIN.
pub fn abs(a: u64, w: u32) -> u64 {
    signed(a, w).unsigned_abs() & mask(w)
}

/// Number of leading zeros; for the operand 0 the result is the width.
pub fn leading_zeros(a: u64, w: u32) -> u64 {
    u64::from(a.leading_zeros() - (64 - w)) & mask(w)
}

/// Number of trailing zeros; for the operand 0 the result is the width.
pub fn trailing_zeros(a: u64, w: u32) -> u64 {
    u64::from(a.trailing_zeros().min(w)) & mask(w)
}

/// Number of set bits.
pub fn ones(a: u64, w: u32) -> u64 {
    u64::from(a.count_ones()) & mask(w)
}

/// The low bits of a bit pattern.
pub fn truncate(a: u64, w: u32) -> u64 {
    a & mask(w)
}

/// Sign extension from the width in the low byte of `widths` to the width in the next byte.
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
/// The flaw of `MIN / -1`: the type cannot represent the quotient.
pub const MIN_BY_MINUS_ONE: Flaw =
    flaw(true, "the smallest number divided by -1", |a, b, w| a == min_value(low(w)) && b == mask(low(w)));
/// The flaw of a shift whose amount is not less than the width.
pub const WIDE_SHIFT: Flaw = flaw(false, "shift by the width or more", |_, b, w| b >= u64::from(low(w)));
/// The flaw of an `exact` division whose remainder is not 0.
pub const REST_U: Flaw = flaw(false, "exact division has a remainder", |a, b, _| b != 0 && a % b != 0);
/// The flaw of an `exact` signed division whose remainder is not 0.
pub const REST_S: Flaw = flaw(false, "exact division has a remainder", |a, b, w| rems(a, b, low(w)) != 0);
/// The flaw of an `exact` right shift that discards set bits.
pub const LOST_BITS: Flaw =
    flaw(false, "exact shift loses bits", |a, b, w| b < u64::from(low(w)) && a & !(u64::MAX << b) != 0);

/// The condition of a flag such as `nsw`. If the operands violate the condition, the result is poison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// `nsw`
    NoSignedWrap,
    /// `nuw`
    NoUnsignedWrap,
    /// `exact`
    Exact,
}

impl Promise {
    /// All promises.
    pub const ALL: [Promise; 3] = [Promise::NoSignedWrap, Promise::NoUnsignedWrap, Promise::Exact];
}

const NSW: &str = "signed overflow in spite of nsw";
const NUW: &str = "unsigned overflow in spite of nuw";

/// The flaws of a truncation that violates `nsw` or `nuw`.
pub fn lost_by_truncation(promise: Promise) -> Option<Flaw> {
    match promise {
        Promise::NoSignedWrap => Some(flaw(false, NSW, |a, _, w| !fits(i128::from(signed(a, low(w))), w >> 8))),
        Promise::NoUnsignedWrap => Some(flaw(false, NUW, |a, _, w| a > mask(w >> 8))),
        Promise::Exact => None,
    }
}

/// The function of an operation, and the flaws of operands without a defined result.
#[derive(Clone, Copy, Debug)]
pub enum IntFunctions {
    /// An operation with one operand.
    One(Fn1),
    /// An operation with two operands.
    Two(Fn2, &'static [Flaw]),
}

macro_rules! rule {
    (One $function:ident) => { IntFunctions::One($function) };
    (Two $function:ident $($flaw:ident)*) => { IntFunctions::Two($function, &[$($flaw),*]) };
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $kind:ident $function:ident in [$($op:literal),*] $($flaw:ident)*;)*) => {
        /// An operation on integers of one width. The row of a variant also contains the names of its MLIR
        /// operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum IntOp { $($(#[$doc])* $name),* }

        impl IntOp {
            /// All operations.
            pub const ALL: &'static [IntOp] = &[$(IntOp::$name),*];

            /// The function that computes the operation.
            pub const fn functions(self) -> IntFunctions {
                match self { $(IntOp::$name => rule!($kind $function $($flaw)*)),* }
            }

            /// The names of the MLIR operations that compute this operation.
            pub const fn names(self) -> &'static [&'static str] {
                match self { $(IntOp::$name => &[$($op),*]),* }
            }
        }
    };
}

operations! {
    /// Sum, modulo 2^width.
    Add Two add in ["arith.addi", "llvm.add"];
    /// Difference, modulo 2^width.
    Sub Two sub in ["arith.subi", "llvm.sub"];
    /// Product, modulo 2^width.
    Mul Two mul in ["arith.muli", "llvm.mul"];
    /// Bitwise and.
    And Two and in ["arith.andi", "llvm.and"];
    /// Bitwise or.
    Or Two or in ["arith.ori", "llvm.or"];
    /// Bitwise exclusive or.
    Xor Two xor in ["arith.xori", "llvm.xor"];
    /// Unsigned quotient.
    DivU Two divu in ["arith.divui", "llvm.udiv"] BY_ZERO;
    /// Signed quotient, rounded towards zero.
    DivS Two divs in ["arith.divsi", "llvm.sdiv"] BY_ZERO MIN_BY_MINUS_ONE;
    /// Remainder of the unsigned division.
    RemU Two remu in ["arith.remui", "llvm.urem"] BY_ZERO;
    /// Remainder of the signed division, with the sign of the dividend.
    RemS Two rems in ["arith.remsi", "llvm.srem"] BY_ZERO MIN_BY_MINUS_ONE;
    /// Unsigned quotient, rounded up.
    CeilDivU Two ceil_divu in ["arith.ceildivui"] BY_ZERO;
    /// Signed quotient, rounded up.
    CeilDivS Two ceil_divs in ["arith.ceildivsi"] BY_ZERO MIN_BY_MINUS_ONE;
    /// Signed quotient, rounded down.
    FloorDivS Two floor_divs in ["arith.floordivsi"] BY_ZERO MIN_BY_MINUS_ONE;
    /// Shift left.
    Shl Two shl in ["arith.shli", "llvm.shl"] WIDE_SHIFT;
    /// Logical shift right.
    ShrU Two shru in ["arith.shrui", "llvm.lshr"] WIDE_SHIFT;
    /// Arithmetic shift right.
    ShrS Two shrs in ["arith.shrsi", "llvm.ashr"] WIDE_SHIFT;
    /// Unsigned quotient; `x / 0 = x`.
    TotalDivU Two divu in ["cube.divui"];
    /// Signed quotient, rounded towards zero; `x / 0 = x`, and `MIN / -1` wraps to `MIN`.
    TotalDivS Two divs in ["cube.divsi"];
    /// Unsigned remainder; `x % 0 = 0`.
    TotalRemU Two remu in ["cube.remui"];
    /// Signed remainder; `x % 0 = 0`, and `MIN % -1 = 0`.
    TotalRemS Two rems in ["cube.remsi"];
    /// Shift left by the amount modulo the width.
    TotalShl Two shl in ["cube.shl"];
    /// Logical shift right by the amount modulo the width.
    TotalShrU Two shru in ["cube.shrui"];
    /// Arithmetic shift right by the amount modulo the width.
    TotalShrS Two shrs in ["cube.shrsi"];
    /// Unsigned saturating sum.
    AddSatU Two addu_sat in ["cube.addui_sat", "llvm.intr.uadd.sat"];
    /// Signed saturating sum.
    AddSatS Two adds_sat in ["cube.addsi_sat", "llvm.intr.sadd.sat"];
    /// Unsigned saturating difference.
    SubSatU Two subu_sat in ["cube.subui_sat", "llvm.intr.usub.sat"];
    /// Signed saturating difference.
    SubSatS Two subs_sat in ["cube.subsi_sat", "llvm.intr.ssub.sat"];
    /// The smaller of two unsigned numbers.
    MinU Two minu in ["arith.minui", "llvm.intr.umin"];
    /// The smaller of two signed numbers.
    MinS Two mins in ["arith.minsi", "llvm.intr.smin"];
    /// The larger of two unsigned numbers.
    MaxU Two maxu in ["arith.maxui", "llvm.intr.umax"];
    /// The larger of two signed numbers.
    MaxS Two maxs in ["arith.maxsi", "llvm.intr.smax"];
    /// Whether the unsigned sum overflows, as a bit pattern of type `i1`.
    Carry Two carry in [];
    /// The upper half of the unsigned product.
    MulHighU Two mulu_high in [];
    /// The upper half of the signed product.
    MulHighS Two muls_high in [];
    /// A power with a signed exponent. For the exponent `-n` the result is `1 / base^n`, rounded towards
    /// zero.
    Power Two power in ["math.ipowi"];
    /// Absolute value; the absolute value of MIN wraps to MIN.
    Abs One abs in ["math.absi", "llvm.intr.abs"];
    /// Number of leading zeros; for the operand 0 the result is the width.
    LeadingZeros One leading_zeros in ["math.ctlz", "llvm.intr.ctlz"];
    /// Number of trailing zeros; for the operand 0 the result is the width.
    TrailingZeros One trailing_zeros in ["math.cttz", "llvm.intr.cttz"];
    /// Number of ones.
    CountOnes One ones in ["math.ctpop", "llvm.intr.ctpop"];
    /// The bits of the operand in reverse order.
    ReverseBits One reverse in ["cube.reverse_bits", "llvm.intr.bitreverse"];
    /// Sum of the products of signed bytes.
    Dot Two dot in ["cube.dot"];
}

// The signed byte with this number, from the lowest.
fn byte(a: u64, i: u32) -> i64 {
    i64::from((a >> (8 * i)) as i8)
}

impl IntOp {
    /// Number of operands.
    pub fn operands(self) -> usize {
        match self.functions() {
            IntFunctions::One(_) => 1,
            IntFunctions::Two(..) => 2,
        }
    }

    /// The supported integer widths, in bits.
    pub fn widths(self) -> RangeInclusive<u32> {
        if self == IntOp::Dot { 32..=32 } else { 1..=64 }
    }

    /// Computes the operation for constants of a given width; the result is zero-extended.
    pub fn evaluate(self, width: u32, operands: &[u64]) -> Outcome {
        if !self.widths().contains(&width) {
            return Outcome::Unsupported("the operation is not for integers of this width");
        }
        match (self.functions(), operands) {
            (IntFunctions::One(f), [a]) => Outcome::Value(f(*a, width)),
            (IntFunctions::Two(f, flaws), [a, b]) => Outcome::checked(flaws, [*a, *b], width, f(*a, *b, width)),
            _ => Outcome::Unsupported("so many operands"),
        }
    }

    /// Computes the operation for constants; the result is sign-extended to 64 bits. The bits of an operand above its
    /// width are ignored. `None` if the value is not defined. The carry of a sum has the type `i1` and is
    /// sign-extended from one bit.
    pub fn of_signed(self, width: u32, operands: &[i64]) -> Option<i64> {
        if !self.widths().contains(&width) || operands.len() > 2 {
            return None;
        }
        let mut patterns = [0; 2];
        patterns.iter_mut().zip(operands).for_each(|(pattern, n)| *pattern = *n as u64 & mask(width));
        let value = self.evaluate(width, &patterns[..operands.len()]).value()?;
        Some(signed(value, if self == IntOp::Carry { 1 } else { width }))
    }

    /// The flaw of operands that violate a promise such as `nsw`; `None` if the promise does not apply to the
    /// operation.
    pub fn violation_of(self, promise: Promise) -> Option<Flaw> {
        use Promise::{Exact, NoSignedWrap as Signed, NoUnsignedWrap as Unsigned};
        Some(match (self, promise) {
            (IntOp::Add, Signed) => flaw(false, NSW, |a, b, w| !fits(wide_of(a, w) + wide_of(b, w), low(w))),
            (IntOp::Sub, Signed) => flaw(false, NSW, |a, b, w| !fits(wide_of(a, w) - wide_of(b, w), low(w))),
            (IntOp::Mul, Signed) => flaw(false, NSW, |a, b, w| !fits(wide_of(a, w) * wide_of(b, w), low(w))),
            (IntOp::Shl, Signed) => flaw(false, NSW, |a, b, w| shrs(shl(a, b, low(w)), b, low(w)) != a),
            (IntOp::Add, Unsigned) => flaw(false, NUW, |a, b, w| carry(a, b, low(w)) != 0),
            (IntOp::Sub, Unsigned) => flaw(false, NUW, |a, b, _| a < b),
            (IntOp::Mul, Unsigned) => flaw(false, NUW, |a, b, w| mulu_high(a, b, low(w)) != 0),
            (IntOp::Shl, Unsigned) => flaw(false, NUW, |a, b, w| shru(shl(a, b, low(w)), b, low(w)) != a),
            (IntOp::DivU, Exact) => REST_U,
            (IntOp::DivS, Exact) => REST_S,
            (IntOp::ShrU | IntOp::ShrS, Exact) => LOST_BITS,
            _ => return None,
        })
    }
}

// The signed value of a pattern of the width in the low byte.
fn wide_of(a: u64, widths: u32) -> i128 {
    i128::from(signed(a, low(widths)))
}
