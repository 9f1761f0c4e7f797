//! Remainders: fmod, floor_rem. The result of fmod is exact. The long division is unrolled for the largest difference
//! of exponents.
//!
//! Let m_x and m_y be the significands in [1, 2), and k the difference of the exponents. The remainder is m_x 2^k mod
//! m_y, scaled. The division computes the quotient in digits of d bits. A step computes r <- r 2^d - q m_y, where q is
//! the integer nearest to r 2^d i, and i is the reciprocal of m_y. If the error of i is u ULP, the error of the
//! estimate r 2^d i is at most e = u 2^(d - mantissa) times |r| / m_y. The first r is less than 2^d m_y, so the first
//! remainder is at most (1/2 + e) m_y. The number of bits d is the largest one with e < 1/2. Therefore |r| < m_y, and
//! later remainders are not larger than the first one. A correctly rounded division has d = mantissa - 1, e = 1/4 and
//! |r| <= 0.75 m_y. A division with an error of 3 ULP has d = mantissa - 3. Because |r| is bounded, the next q is in
//! range. The new r is a multiple of the last place of m_y and less than 2, so the fma is exact.

use crate::emit::Emit;
use crate::format::Format;
use crate::steps::Steps;

/// Decomposes a > 0 into (m, exponent), with m in [1, 2) and a = m 2^exponent.
fn normalised<E: Emit>(e: &E, a: E::F) -> (E::F, E::I) {
    let mantissa = <E::Kind as Format>::MANTISSA;
    let subnormal = e.lt(a, e.min_normal());
    let bits = e.bits(e.select(subnormal, e.mul(a, e.two(mantissa as i32)), a));
    let bias = <E::Kind as Format>::BIAS;
    let offset = e.iselect(subnormal, e.k(bias + mantissa), e.k(bias));
    let exponent = e.isub(e.shr_u(bits, e.k(mantissa)), offset);
    let fraction = e.iand(bits, e.k((1 << mantissa) - 1));
    (e.of_bits(e.ior(fraction, e.bits(e.c(1.0)))), exponent)
}

/// The value of m_x 2^k mod m_y, in [0, m_y).
fn long_division<E: Emit>(e: &E, mx: E::F, my: E::F, k: E::I) -> E::F {
    let (mantissa, bias) = (<E::Kind as Format>::MANTISSA, <E::Kind as Format>::BIAS);
    let digit = digit(mantissa, e.division_error());
    // The number of digits for the largest difference of exponents: the largest number and the smallest subnormal.
    let steps = (2 * bias + mantissa - 1) / digit;
    let whole = e.shr_u(e.imul(k, e.k(reciprocal(digit))), e.k(20));
    let odd_bits = e.isub(k, e.imul(whole, e.k(digit)));

    let inverse = e.div(e.c(1.0), my);
    let reduce = |r: E::F, scale: E::F| {
        let r = e.mul(r, scale);
        let (q, _) = e.nearest(r, inverse);
        e.fnma(q, my, r)
    };
    let mut r = reduce(mx, e.pow2(odd_bits));
    for step in 0..steps {
        let on = e.ilt(e.k(step), whole);
        r = reduce(r, e.select(on, e.two(digit as i32), e.c(1.0)));
    }
    e.select(e.lt(r, e.c(0.0)), e.add(r, my), r)
}

/// The number of bits of a digit of the quotient, for a division with an error of at most `ulp`.
fn digit(mantissa: i64, ulp: f64) -> i64 {
    let fits = |digit: &i64| ulp * f64::powi(2.0, (digit - mantissa) as i32) < 0.5;
    (1..mantissa).rev().find(fits).expect("the error of a division is less than a quarter of the quotient")
}

/// The constant `reciprocal` for which k / digit = (k reciprocal) >> 20, for every k that occurs.
const fn reciprocal(digit: i64) -> i64 {
    (1 << 20) / digit + 1
}

/// x - y trunc(x / y), exact, with the sign of x: C's fmod and Rust's `%`.
pub fn fmod<E: Emit>(e: &E, x: E::F, y: E::F) -> E::F {
    let (a, b) = (e.abs(x), e.abs(y));
    let ((mx, ex), (my, ey)) = (normalised(e, a), normalised(e, b));
    let k = e.isub(ex, ey);
    let k = e.iselect(e.ilt(k, e.k(0)), e.k(0), k);
    let r = e.scale(long_division(e, mx, my, k), ey);
    let r = e.select(e.lt(a, b), x, e.copysign(r, x));
    let defined = e.and(e.lt(a, e.inf()), e.lt(e.c(0.0), b));
    e.select(defined, r, e.nan())
}

/// x - y floor(x / y), rounded once: Python's `%`. The result has the sign of y, also if the result is zero.
pub fn floor_rem<E: Emit>(e: &E, x: E::F, y: E::F) -> E::F {
    let r = fmod(e, x, y);
    let zero = e.c(0.0);
    let other_side = e.ilt(e.ixor(e.bits(r), e.bits(y)), e.k(0));
    let moved = e.select(other_side, e.add(r, y), r);
    e.select(e.eq(r, zero), e.copysign(zero, y), moved)
}

#[cfg(test)]
mod tests {
    use super::{digit, floor_rem, fmod, reciprocal};
    use crate::native::{NearDouble, NearSingle};
    use crate::{NativeDouble, NativeSingle};

    #[test]
    fn digits_are_counted_right() {
        for (digit, widest) in [(22, 254 + 22), (20, 254 + 22), (51, 2046 + 51), (49, 2046 + 51)] {
            for k in 0..=widest + 64 {
                assert_eq!((k * reciprocal(digit)) >> 20, k / digit, "{k} / {digit}");
            }
        }
    }

    #[test]
    fn error_of_the_division_bounds_the_digit() {
        let digits = [0.5, 1.0, 2.5, 3.0, 4.0].map(|ulp| digit(23, ulp));
        assert_eq!(digits, [22, 21, 20, 20, 19]);
        assert_eq!([digit(52, 0.5), digit(52, 3.0)], [51, 49]);
    }

    /// Random bit patterns, and pairs with reciprocals near a power of two, whose error is the largest.
    fn pairs() -> impl Iterator<Item = (u64, u64)> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..60_000).map(move |number| match number % 3 {
            0 => (next(), next() & !0x000f_ffff_0000_0000 & !0x007f_0000),
            _ => (next(), next()),
        })
    }

    #[test]
    fn remainders_are_exact_with_inexact_divisions() {
        for seed in 0..3 {
            for (x, y) in pairs() {
                let (a, b) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                let expected = a % b;
                assert_eq!(fmod(&NativeSingle, a, b).to_bits() << 1, bits_of(expected) << 1, "{a:e} % {b:e}");
                assert_eq!(fmod(&NearSingle(seed), a, b).to_bits() << 1, bits_of(expected) << 1, "{a:e} % {b:e}");
                let floored = [floor_rem(&NearSingle(seed), a, b), floor_rem(&NativeSingle, a, b)];
                assert_eq!(floored[0].to_bits(), floored[1].to_bits(), "{a:e} mod {b:e}");
                let (a, b) = (f64::from_bits(x), f64::from_bits(y));
                let [near, own] = [fmod(&NearDouble(seed), a, b), fmod(&NativeDouble, a, b)];
                assert!(near.to_bits() == own.to_bits() && (own == a % b || own.is_nan()), "{a:e} % {b:e}: {near:e}");
            }
        }
    }

    fn bits_of(x: f32) -> u32 {
        if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
    }
}
