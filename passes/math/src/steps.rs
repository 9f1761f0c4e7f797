//! Computations that several families of functions share.

use crate::emit::Emit;
use crate::format::Format;

/// A float constant in the format of the emitter.
pub(crate) type Float<E> = <<E as Emit>::Kind as Format>::Float;

/// Computations of several operations, available for every [`Emit`].
pub(crate) trait Steps: Emit {
    /// A small constant that `f32` and `f64` represent exactly.
    fn c(&self, v: f64) -> Self::F {
        self.f(Self::Kind::float(v))
    }
    /// A constant that differs between `f32` and `f64`.
    fn c2(&self, single: f64, double: f64) -> Self::F {
        self.c(if Self::Kind::WIDTH == 32 { single } else { double })
    }
    /// An integer constant.
    fn k(&self, v: i64) -> Self::I {
        self.i(Self::Kind::int(v))
    }
    /// Infinity.
    fn inf(&self) -> Self::F {
        self.c(f64::INFINITY)
    }
    /// A quiet NaN.
    fn nan(&self) -> Self::F {
        self.c(f64::NAN)
    }
    /// The smallest normal number.
    fn min_normal(&self) -> Self::F {
        self.c2(f64::from(f32::MIN_POSITIVE), f64::MIN_POSITIVE)
    }
    /// 2^n, constant.
    fn two(&self, n: i32) -> Self::F {
        self.c(f64::powi(2.0, n))
    }
    /// `c - a b`, rounded once.
    fn fnma(&self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.fma(self.neg(a), b, c)
    }
    /// `c - a b`, rounded once or twice.
    fn near_fnma(&self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.near_fma(self.neg(a), b, c)
    }
    /// c0 + c1 x + c2 x^2 + ... by Horner's rule.
    fn poly(&self, x: Self::F, coefficients: &[Float<Self>]) -> Self::F {
        let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
        rest.iter().rev().fold(self.f(*last), |p, c| self.near_fma(p, x, self.f(*c)))
    }
    /// Returns x if x < bound or x is NaN, and bound otherwise.
    fn at_most(&self, x: Self::F, bound: Self::F) -> Self::F {
        self.select(self.lt(bound, x), bound, x)
    }
    /// Returns x if x > bound or x is NaN, and bound otherwise.
    fn at_least(&self, x: Self::F, bound: Self::F) -> Self::F {
        self.select(self.lt(x, bound), bound, x)
    }
    /// 1.5 2^mantissa. If this number is added to a small number, the low bits of the sum contain the small
    /// number rounded to an integer.
    fn rounder(&self) -> Self::F {
        self.c(1.5 * f64::powi(2.0, Self::Kind::MANTISSA as i32))
    }
    /// The integer nearest to `a b`, as a float and as an integer, for |a b| < 2^(mantissa - 1).
    fn nearest(&self, a: Self::F, b: Self::F) -> (Self::F, Self::I) {
        let (nearest, shifted) = match self.nearest_to_product(a, b) {
            Some(nearest) => (nearest, self.add(nearest, self.rounder())),
            None => {
                let shifted = self.fma(a, b, self.rounder());
                (self.sub(shifted, self.rounder()), shifted)
            }
        };
        (nearest, self.isub(self.bits(shifted), self.bits(self.rounder())))
    }
    /// 2^n for a normal result: 1 - bias <= n <= bias.
    fn pow2(&self, n: Self::I) -> Self::F {
        let biased = self.iadd(n, self.k(Self::Kind::BIAS));
        self.of_bits(self.shl(biased, self.k(Self::Kind::MANTISSA)))
    }
    /// `magnitude`, which must not be negative, with the sign bit of `sign`. Targets without [`Emit::copysign`] need one
    /// operation less.
    fn positive_with_sign(&self, magnitude: Self::F, sign: Self::F) -> Self::F {
        let sign = self.iand(self.bits(sign), self.k(i64::MIN >> (64 - Self::Kind::WIDTH)));
        self.of_bits(self.ior(self.bits(magnitude), sign))
    }
    /// x 2^n for x near 1 and `|n| < 2 bias - 2`. The function multiplies by two powers of two. The product with
    /// the first power is exact, so subnormal results are rounded once and large results overflow to infinity.
    fn scale(&self, x: Self::F, n: Self::I) -> Self::F {
        let half = self.shr_s(n, self.k(1));
        let rest = self.isub(n, half);
        self.mul(self.mul(x, self.pow2(half)), self.pow2(rest))
    }
    /// a / b with an error of less than 0.51 ULP, if `a`, `b`, `1 / b` and the quotient are positive and normal, and the last bit
    /// of the quotient is normal. If the division has a larger error, the quotient is the product with the reciprocal, corrected by
    /// its residue (Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990). Quotients of
    /// short formats are not corrected, because an error of the division does not affect their few bits.
    ///
    /// Targets with such a division have no fused products, and can reorder sums. The residue is therefore computed with integers:
    /// it is a few times the divisor, so that the low word of the difference of the products of significands contains it.
    fn near_quotient(&self, a: Self::F, b: Self::F) -> Self::F {
        if !self.has_inexact_quotients() {
            return self.div(a, b);
        }
        let inverse = self.div(self.c(1.0), b);
        let quotient = self.mul(a, inverse);
        let mantissa = self.k(Self::Kind::MANTISSA);
        let hidden = 1 << Self::Kind::MANTISSA;
        let significand = |x| self.ior(self.iand(self.bits(x), self.k(hidden - 1)), self.k(hidden));
        let exponent = |x| self.shr_u(self.bits(x), mantissa);
        // a = A 2^(m + s - 2 m + eq + eb), where A is the significand and m the number of bits after the hidden bit.
        let shift = self.isub(self.isub(exponent(a), exponent(quotient)), exponent(b));
        let shift = self.iadd(shift, self.k(Self::Kind::BIAS + Self::Kind::MANTISSA));
        let shifted = self.shl(significand(a), self.iand(shift, self.k(Self::Kind::WIDTH - 1)));
        let residue = self.isub(shifted, self.imul(significand(quotient), significand(b)));
        // The correction is the residue 2^(eq + eb - 2 m) divided by b.
        let power = |x| self.of_bits(self.shl(exponent(x), mantissa));
        let steps = self.mul(
            self.mul(self.of_int(residue), self.two(-2 * Self::Kind::MANTISSA as i32)),
            self.mul(inverse, power(b)),
        );
        self.near_fma(steps, power(quotient), quotient)
    }
    /// Whether the error of the division affects the result of a function. [`Steps::near_quotient`] then corrects the result
    /// of the division.
    fn has_inexact_quotients(&self) -> bool {
        self.division_error() > 0.5 && Self::Kind::PRECISION > Self::Kind::MANTISSA
    }
    /// a + b = sum + error exactly, for |a| >= |b| or a = 0 (Dekker 1971).
    fn fast_two_sum(&self, a: Self::F, b: Self::F) -> (Self::F, Self::F) {
        let sum = self.strict_sum(a, b);
        (sum, self.strict_difference(b, self.strict_difference(sum, a)))
    }
    /// a b = product + error exactly, if no operation underflows.
    fn two_product(&self, a: Self::F, b: Self::F) -> (Self::F, Self::F) {
        let product = self.strict_product(a, b);
        (product, self.fma(a, b, self.neg(product)))
    }
}

impl<E: Emit + ?Sized> Steps for E {}
