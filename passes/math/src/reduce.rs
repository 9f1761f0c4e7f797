//! Reduction of any angle modulo pi/2, by Payne and Hanek (SIGNUM Newsletter 18(1), 1983).
//!
//! With x = M 2^(s - mantissa) and an integer M, the product x (2/pi) is needed modulo 4 only. The reduction therefore
//! ignores bits of 2/pi whose weight after scaling is at least four. The algorithm multiplies M by three words of the
//! table of 2/pi, from bit `s`. The top two bits of the product are the quadrant, and the lower bits are the
//! fraction. All steps use fixed-point arithmetic, and rounding occurs only at the end.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::Steps;
use crate::tables::Tables;

/// An angle: the quadrant, known modulo 4, and the remaining angle as an unevaluated sum. The remaining angle is in
/// [-pi/4, pi/4], or in [-1, 1] if the angle was not reduced.
pub(crate) struct Angle<E: Emit> {
    pub(crate) quadrant: E::I,
    pub(crate) high: E::F,
    pub(crate) low: E::F,
}

/// Reduces the angle a = |x|. The result for NaN and infinity is meaningless.
pub(crate) fn reduce<E: Emit>(e: &E, a: E::F) -> Angle<E> {
    let (quadrant, fraction) = quarter_turns(e, a);
    let far = to_radians(e, fraction);
    let near = e.lt(a, e.c(1.0));
    Angle {
        quadrant: e.iselect(near, e.k(0), quadrant),
        high: e.select(near, a, far.0),
        low: e.select(near, e.c(0.0), far.1),
    }
}

/// Returns a / (pi/2) for a >= 1, as a quadrant and a signed fraction. The fraction has two words, in units of
/// 2^-width.
fn quarter_turns<E: Emit>(e: &E, a: E::F) -> (E::I, (E::I, E::I)) {
    let bits = e.bits(a);
    let mantissa = <E::Kind as Format>::MANTISSA;
    let exponent = e.isub(e.shr_u(bits, e.k(mantissa)), e.k(<E::Kind as Format>::BIAS));
    // The caller drops the result for a < 1, but the shift amounts must be in range.
    let exponent = e.iand(exponent, e.k(<E::Kind as Format>::BIAS));
    let m = e.ior(e.iand(bits, e.k((1 << mantissa) - 1)), e.k(1 << mantissa));
    let [w0, w1, w2] = window(e, exponent);

    // The top two words of M (w0 w1 w2) modulo 4 quadrants. The lowest word would only add a carry.
    let middle = e.imul(m, w1);
    let low = e.iadd(middle, e.umul_hi(m, w2));
    let carry = e.iselect(e.ult(low, middle), e.k(1), e.k(0));
    let high = e.iadd(e.iadd(e.imul(m, w0), e.umul_hi(m, w1)), carry);

    let width = <E::Kind as Format>::WIDTH;
    // Adding half a quadrant selects the nearest quadrant. The remaining fraction is signed.
    let quadrant = e.shr_u(e.iadd(high, e.k(1 << (width - 3))), e.k(width - 2));
    let fraction = e.ior(e.shl(high, e.k(2)), e.shr_u(low, e.k(width - 2)));
    (quadrant, (fraction, e.shl(low, e.k(2))))
}

/// One level of the network that selects words by shifts. If the bit `level` of the word index is set, words
/// move down by 2^level.
fn narrow<E: Emit, const N: usize, const M: usize>(e: &E, words: [E::I; N], exponent: E::I, level: u32) -> [E::I; M] {
    let word_bits = <E::Kind as Format>::WIDTH.ilog2();
    let stay = e.ieq(e.iand(exponent, e.k(1 << (word_bits + level))), e.k(0));
    core::array::from_fn(|i| e.iselect(stay, words[i], words[i + (1 << level)]))
}

/// Three words of 2/pi, starting at the bit that the exponent selects. A network of shifts selects whole words of 2/pi.
/// Each level of the network keeps the words that later levels can select. The last level of the network keeps four
/// words. Finally the words are shifted by the remaining bits.
fn window<E: Emit>(e: &E, exponent: E::I) -> [E::I; 3] {
    let width = <E::Kind as Format>::WIDTH;
    let table = E::Kind::TWO_OVER_PI;
    let words: [E::I; 7] = if width == 32 {
        core::array::from_fn(|i| e.i(table[i]))
    } else {
        let all: [E::I; 19] = core::array::from_fn(|i| e.i(table[i]));
        let half: [E::I; 11] = narrow(e, all, exponent, 3);
        narrow(e, half, exponent, 2)
    };
    let words: [E::I; 5] = narrow(e, words, exponent, 1);
    let words: [E::I; 4] = narrow(e, words, exponent, 0);

    let shift = e.iand(exponent, e.k(width - 1));
    let back = e.isub(e.k(width - 1), shift);
    core::array::from_fn(|i| {
        // The second shift is split in two, because its amount can be the whole width.
        let next = e.shr_u(e.shr_u(words[i + 1], e.k(1)), back);
        e.ior(e.shl(words[i], shift), next)
    })
}

/// Converts the fraction (high, low) of a quadrant to radians, as an unevaluated sum.
fn to_radians<E: Emit>(e: &E, (high, low): (E::I, E::I)) -> (E::F, E::F) {
    let width = <E::Kind as Format>::WIDTH;
    let precision = <E::Kind as Format>::MANTISSA + 1;
    let spare = width - precision;
    // The top bits that a float can represent, rounded, so that the remainder is small and signed even near a quadrant.
    // The rounding constant is added after a first shift, because the sum would otherwise overflow near an octant.
    // The difference can wrap twice without an effect.
    let top = e.shr_s(e.iadd(e.shr_s(high, e.k(spare - 1)), e.k(1)), e.k(1));
    let rest = e.isub(high, e.shl(top, e.k(spare)));
    let rest = e.ior(e.shl(rest, e.k(precision)), e.shr_u(low, e.k(spare)));
    let top = e.mul(e.of_int(top), e.two(-(precision as i32)));
    let rest = e.mul(e.of_int(rest), e.two(-((width + precision) as i32)));

    let (product, error) = e.two_product(top, e.f(E::Kind::FRAC_PI_2_HI));
    let tail = e.near_fma(top, e.f(E::Kind::FRAC_PI_2_LO), error);
    let tail = e.near_fma(rest, e.f(E::Kind::FRAC_PI_2_HI), tail);
    e.fast_two_sum(product, tail)
}

#[cfg(test)]
mod tests {
    use core::f64::consts::FRAC_PI_4;

    use super::to_radians;
    use crate::native::{NativeDouble, NativeSingle};

    /// Tests fractions at the ends of the range, where rounding of the top bits must not change the sign. Samples of
    /// f64 do not reach the fractions at the ends of the range.
    #[test]
    fn octants_keep_their_sign() {
        for (high, low, angle) in [(i64::MAX, -1, FRAC_PI_4), (i64::MIN, 0, -FRAC_PI_4), (-1, -1, 0.0), (0, 1, 0.0)] {
            let (h, l) = to_radians(&NativeDouble, (high, low));
            assert!((h + l - angle).abs() < 1e-15, "{high:x}: {h:e}");
        }
        for (high, low, angle) in [(i32::MAX, -1, FRAC_PI_4), (i32::MIN, 0, -FRAC_PI_4), (-1, -1, 0.0), (0, 1, 0.0)] {
            let (h, l) = to_radians(&NativeSingle, (high, low));
            assert!((f64::from(h) + f64::from(l) - angle).abs() < 1e-9, "{high:x}: {h:e}");
        }
    }
}
