//! The fused multiply-add and the square root in integer arithmetic, for targets that do not round these
//! functions correctly.
//!
//! No step is a float operation, except for the exact conversion of an integer. The results therefore do not depend
//! on support for subnormals or on the order of sums, unlike error-free transformations. The significand m is an
//! integer whose highest set bit is directly below the sign bit. The number is `x = m 2^(exponent - (width - 2))`.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::Steps;

/// The rounding mode of [`fused_by_integers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Rounds to nearest, ties to even.
    Nearest,
    /// Rounds an inexact result to the neighbour with an odd last bit. If the exact result exceeds the range of the
    /// format, the rounded result is the largest number. A later rounding to a format with at least two bits fewer
    /// gives the same result as a single rounding (Boldo and Melquiond, "When double rounding is odd", 2005).
    Odd,
}

/// The parameters of the float format.
struct Fields {
    width: i64,
    mantissa: i64,
    bias: i64,
    /// The number of integer bits below the significand of the format.
    spare: i64,
    infinity: i64,
    magnitude: i64,
}

fn fields<E: Emit>() -> Fields {
    let (width, mantissa) = (<E::Kind as Format>::WIDTH, <E::Kind as Format>::MANTISSA);
    let bias = <E::Kind as Format>::BIAS;
    Fields {
        width,
        mantissa,
        bias,
        spare: width - 2 - mantissa,
        infinity: (2 * bias + 1) << mantissa,
        magnitude: if width == 64 { i64::MAX } else { (1 << (width - 1)) - 1 },
    }
}

impl Fields {
    /// The exponent that represents zero, which is less than the exponents of all numbers and products.
    fn far_below(&self) -> i64 {
        -8 * self.bias
    }
}

/// The significand and the exponent of a finite number's absolute value. Zero has the significand 0 and the exponent
/// [`Fields::far_below`].
fn decoded<E: Emit>(e: &E, magnitude: E::I) -> (E::I, E::I) {
    let f = fields::<E>();
    let zero = e.ieq(magnitude, e.k(0));
    let subnormal = e.ult(magnitude, e.k(1 << f.mantissa));
    // A subnormal number is an integer with fewer bits than the significand. The conversion of this integer to a float
    // is exact and normalises the number.
    let normal = e.iselect(subnormal, e.bits(e.of_int(magnitude)), magnitude);
    let whole = e.ior(e.iand(normal, e.k((1 << f.mantissa) - 1)), e.k(1 << f.mantissa));
    let significand = e.iselect(zero, e.k(0), e.shl(whole, e.k(f.spare)));
    let offset = e.iselect(subnormal, e.k(2 * f.bias - 1 + f.mantissa), e.k(f.bias));
    let exponent = e.isub(e.shr_u(normal, e.k(f.mantissa)), offset);
    (significand, e.iselect(zero, e.k(f.far_below()), exponent))
}

/// Returns 1 if `c` is true, and 0 otherwise.
fn one_if<E: Emit>(e: &E, c: E::B) -> E::I {
    e.iselect(c, e.k(1), e.k(0))
}

/// A number of two words, with the upper word first.
type Pair<E> = (<E as Emit>::I, <E as Emit>::I);

fn choose<E: Emit>(e: &E, c: E::B, yes: Pair<E>, no: Pair<E>) -> Pair<E> {
    (e.iselect(c, yes.0, no.0), e.iselect(c, yes.1, no.1))
}

/// `-x` if `c`, else `x`.
fn negated_if<E: Emit>(e: &E, c: E::B, x: Pair<E>) -> Pair<E> {
    let low = e.isub(e.k(0), x.1);
    let carry = one_if(e, e.ieq(x.1, e.k(0)));
    let high = e.iadd(e.ixor(x.0, e.k(-1)), carry);
    choose(e, c, (high, low), x)
}

/// `x >> by`, with the last bit set if a lost bit was set; 0 <= by < 2 width.
fn shifted_right<E: Emit>(e: &E, x: Pair<E>, by: E::I) -> Pair<E> {
    let width = <E::Kind as Format>::WIDTH;
    let word = e.ult(by, e.k(width));
    let (high, low) = choose(e, word, x, (e.k(0), x.0));
    let lost = e.iselect(word, e.k(0), x.1);
    let by = e.iand(by, e.k(width - 1));
    let rest = e.isub(e.k(width - 1), by);
    // The shift `<< (width - by)` has two steps. The first step keeps the amount of the second one in range.
    let over = |v: E::I| e.shl(e.shl(v, e.k(1)), rest);
    let sticky = e.ieq(e.ior(over(low), lost), e.k(0));
    let low = e.ior(e.ior(e.shr_u(low, by), over(high)), e.iselect(sticky, e.k(0), e.k(1)));
    (e.shr_u(high, by), low)
}

/// The position of the highest set bit of `0 < x < 2^(width - 1)`.
fn highest<E: Emit>(e: &E, x: E::I) -> E::I {
    let f = fields::<E>();
    // Clearing the bit below the highest one ensures that the conversion cannot round up to the next power of two.
    let few = e.iand(x, e.ixor(e.shr_u(x, e.k(1)), e.k(-1)));
    e.isub(e.shr_u(e.bits(e.of_int(few)), e.k(f.mantissa)), e.k(f.bias))
}

/// The aligned sum of a product and a number: absolute value, sign as a boolean, and exponent. The exponent is
/// the exponent of a sum whose highest bit is at `2 width - 2`.
fn sum<E: Emit>(
    e: &E,
    product: (Pair<E>, E::I),
    c: (Pair<E>, E::I),
    [negative, c_negative]: [E::B; 2],
) -> (Pair<E>, E::B, E::I) {
    let width = <E::Kind as Format>::WIDTH;
    let distance = e.isub(product.1, c.1);
    let c_larger = e.ilt(distance, e.k(0));
    let apart = e.iselect(c_larger, e.isub(e.k(0), distance), distance);
    let most = e.k(2 * width - 1);
    let apart = e.iselect(e.ult(most, apart), most, apart);
    let large = choose(e, c_larger, c.0, product.0);
    let small = shifted_right(e, choose(e, c_larger, product.0, c.0), apart);
    // a xor b, for booleans.
    let differ = e.or(e.and(negative, e.not(c_negative)), e.and(c_negative, e.not(negative)));
    let small = negated_if(e, differ, small);
    let low = e.iadd(large.1, small.1);
    let carry = one_if(e, e.ult(low, small.1));
    let high = e.iadd(e.iadd(large.0, small.0), carry);
    let under = e.ilt(high, e.k(0));
    let exponent = e.iadd(e.iselect(c_larger, c.1, product.1), e.k(1));
    // The sum has the sign of the operand with the larger magnitude. The exponents predict which operand is larger.
    // A negative difference means that the prediction was wrong.
    let of_large = e.or(e.and(c_larger, c_negative), e.and(e.not(c_larger), negative));
    let sign = e.or(e.and(under, e.not(of_large)), e.and(e.not(under), of_large));
    (negated_if(e, under, (high, low)), sign, exponent)
}

/// Rounds `high * 2^(exponent - (width - 2))` to a float, and returns the float's bits with sign bit 0. The
/// highest bit of `high` is at `width - 2`. The last bit of `high` is the sticky bit.
fn rounded<E: Emit>(e: &E, high: E::I, exponent: E::I, rounding: Rounding) -> E::I {
    let f = fields::<E>();
    let biased = e.iadd(exponent, e.k(f.bias));
    let normal = e.ilt(e.k(0), biased);
    let down = e.iselect(normal, e.k(0), e.isub(e.k(1), biased));
    let most = e.k(f.width - 1);
    let down = e.iselect(e.ult(most, down), most, down);
    let kept = e.shr_u(high, down);
    let exact = e.ieq(e.shl(kept, down), high);
    let kept = e.ior(kept, e.iselect(exact, e.k(0), e.k(1)));
    let upper = e.shr_u(kept, e.k(f.spare));
    let bits = match rounding {
        Rounding::Nearest => {
            let up = e.iadd(e.k((1 << (f.spare - 1)) - 1), e.iand(upper, e.k(1)));
            e.shr_u(e.iadd(kept, up), e.k(f.spare))
        }
        Rounding::Odd => {
            let rest = e.iand(kept, e.k((1 << f.spare) - 1));
            e.ior(upper, e.iselect(e.ieq(rest, e.k(0)), e.k(0), e.k(1)))
        }
    };
    // The implicit bit above the fraction adds one to the exponent. A carry out of the fraction also adds one.
    let below = e.iselect(normal, e.isub(biased, e.k(1)), e.k(0));
    let bits = e.iadd(e.shl(below, e.k(f.mantissa)), bits);
    let beyond = e.k(if rounding == Rounding::Odd { f.infinity - 1 } else { f.infinity });
    e.iselect(e.ilt(e.k(2 * f.bias), biased), beyond, bits)
}

/// `a b + c` by integer operations, rounded once.
pub fn fused_by_integers<E: Emit>(e: &E, a: E::F, b: E::F, c: E::F, rounding: Rounding) -> E::F {
    let f = fields::<E>();
    let [a, b, c] = [a, b, c].map(|v| e.bits(v));
    let [am, bm, cm] = [a, b, c].map(|v| e.iand(v, e.k(f.magnitude)));
    let signs = [e.ixor(a, b), c].map(|v| e.ilt(v, e.k(0)));
    let ([(ma, ea), (mb, eb), (mc, ec)], infinity) = ([am, bm, cm].map(|m| decoded(e, m)), e.k(f.infinity));
    // The highest bit of the product is at 2 width - 4 or 2 width - 3. The addend is aligned to 2 width - 3.
    let product = ((e.umul_hi(ma, mb), e.imul(ma, mb)), e.iadd(e.iadd(ea, eb), e.k(1)));
    let addend = ((e.shr_u(mc, e.k(1)), e.k(0)), ec);
    let (total, sign, exponent) = sum(e, product, addend, signs);

    // If the upper word of a sum is 0, its operands cancelled. No bit of the operands was lost, and all bits below bit
    // 12 are 0.
    let short = e.ieq(total.0, e.k(0));
    let lifted = (e.shr_u(total.1, e.k(2)), e.shl(total.1, e.k(f.width - 2)));
    let (high, low) = choose(e, short, lifted, total);
    let zero = e.ieq(e.ior(total.0, total.1), e.k(0));
    // For a sum of zero, 1 replaces the upper word, so that the shift is in range.
    let up = e.isub(e.k(f.width - 2), highest(e, e.iselect(zero, e.k(1), high)));
    let over = e.shr_u(e.shr_u(low, e.k(1)), e.isub(e.k(f.width - 1), up));
    let sticky = e.ieq(e.shl(low, up), e.k(0));
    let high = e.ior(e.ior(e.shl(high, up), over), e.iselect(sticky, e.k(0), e.k(1)));
    let exponent = e.isub(e.isub(exponent, up), e.iselect(short, e.k(f.width - 2), e.k(0)));
    let magnitude = e.iselect(zero, e.k(0), rounded(e, high, exponent, rounding));
    // A sum of zero is negative if both operands are negative.
    let sign = e.or(e.and(zero, e.and(signs[0], signs[1])), e.and(e.not(zero), sign));

    let is = |v: E::I, of: i64| e.ieq(v, e.k(of));
    let bound = |sign: E::B| e.iselect(sign, e.k(!f.magnitude), e.k(0));
    let infinite = e.or(is(am, f.infinity), is(bm, f.infinity));
    let c_infinite = is(cm, f.infinity);
    let any = [am, bm, cm].map(|m| e.ilt(infinity, m));
    let without = e.and(infinite, e.or(is(am, 0), is(bm, 0)));
    let opposite = e.or(e.and(signs[0], e.not(signs[1])), e.and(signs[1], e.not(signs[0])));
    let against = e.and(e.and(infinite, c_infinite), opposite);
    let nan = e.or(e.or(e.or(any[0], any[1]), any[2]), e.or(without, against));
    let finite = e.ior(magnitude, bound(sign));
    let bits = e.iselect(c_infinite, c, finite);
    let bits = e.iselect(infinite, e.ior(infinity, bound(signs[0])), bits);
    e.of_bits(e.iselect(nan, e.k(f.infinity | 1 << (f.mantissa - 1)), bits))
}

/// The square root, rounded to nearest, in integer arithmetic with one digit per step (Sun, fdlibm, `e_sqrt.c`,
/// 1993).
pub fn root_by_integers<E: Emit>(e: &E, x: E::F) -> E::F {
    let f = fields::<E>();
    let x = e.bits(x);
    let magnitude = e.iand(x, e.k(f.magnitude));
    let (significand, exponent) = decoded(e, magnitude);
    // Twice the number in [1, 4), with an even exponent. The first digit of the root is bit `mantissa + 1`.
    let odd = e.iand(exponent, e.k(1));
    let mut rest = e.shl(e.shr_u(significand, e.k(f.spare)), e.iadd(odd, e.k(1)));
    let half = e.shr_s(exponent, e.k(1));
    // Twice the digits found so far.
    let mut twice = e.k(0);
    for place in (0..=f.mantissa + 1).rev() {
        let digit = e.k(1 << place);
        let next = e.iadd(twice, digit);
        let fits = e.not(e.ult(rest, next));
        twice = e.iselect(fits, e.iadd(next, digit), twice);
        rest = e.shl(e.iselect(fits, e.isub(rest, next), rest), e.k(1));
    }
    // The loop computes one digit more than the result has. If this digit of an exact root is 1, the square has twice
    // as many digits as the number, so ties cannot occur.
    let digits = e.shr_u(twice, e.k(1));
    let nearest = e.shr_u(e.iadd(digits, e.iand(digits, e.k(1))), e.k(1));
    let bits = e.iadd(nearest, e.shl(e.iadd(half, e.k(f.bias - 1)), e.k(f.mantissa)));

    // Zeros and plus infinity are their own roots.
    let same = e.or(e.ieq(magnitude, e.k(0)), e.ieq(x, e.k(f.infinity)));
    let below = e.and(e.ilt(x, e.k(0)), e.not(e.ieq(magnitude, e.k(0))));
    let nan = e.or(below, e.ilt(e.k(f.infinity), magnitude));
    let bits = e.iselect(same, x, bits);
    e.of_bits(e.iselect(nan, e.k(f.infinity | 1 << (f.mantissa - 1)), bits))
}
