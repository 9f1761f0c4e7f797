//! The interface of the algorithms: an emitter of basic operations in a float format.

use crate::format::Format;
use crate::tables::Tables;

/// Emits basic operations, lane by lane if a value is a vector.
///
/// Float operations follow IEEE 754, with rounding to nearest even and with subnormals. An emitter of IR must **not set
/// fast-math flags**, because they would allow a pass to fold error-free transformations to zero. [`Emit::fma`] must
/// really be fused. Integers have the width of the float, use two's complement, and wrap. The emitted code has no
/// branches. No operation is undefined or poison for any input of the function. Shift amounts and conversions to
/// integers are in range even if a select discards the result.
pub trait Emit {
    /// The format of `F`, with its tables.
    type Kind: Tables;
    /// A float.
    type F: Copy;
    /// An integer of the same width as the float.
    type I: Copy;
    /// A boolean.
    type B: Copy;

    /// A float constant.
    fn f(&self, v: <Self::Kind as Format>::Float) -> Self::F;
    /// An integer constant.
    fn i(&self, v: <Self::Kind as Format>::Int) -> Self::I;

    /// `a + b`
    fn add(&self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`
    fn sub(&self, a: Self::F, b: Self::F) -> Self::F;
    /// `a b`
    fn mul(&self, a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`, with an error of at most [`Emit::division_error`]
    fn div(&self, a: Self::F, b: Self::F) -> Self::F;
    /// The largest error of [`Emit::div`] in ULP, for normal quotients and for divisors from the smallest normal number
    /// to its inverse; 0.5 for a correctly rounded division.
    fn division_error(&self) -> f64 {
        0.5
    }
    /// `a b + c`, rounded once
    fn fma(&self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `a b + c`, rounded once or twice. The bounds of the functions hold with both. A target without correctly rounded
    /// fused products then needs two operations.
    fn near_fma(&self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.fma(a, b, c)
    }
    /// The integer nearest to the rounded product `a b`, by an instruction; `None` if [`Emit::fma`] is faster.
    fn nearest_to_product(&self, _a: Self::F, _b: Self::F) -> Option<Self::F> {
        None
    }
    /// The square root, correctly rounded
    fn sqrt(&self, a: Self::F) -> Self::F;
    /// `a` with its sign bit flipped
    fn neg(&self, a: Self::F) -> Self::F;
    /// `a` with its sign bit cleared
    fn abs(&self, a: Self::F) -> Self::F;
    /// `magnitude` with the sign bit of `sign`
    fn copysign(&self, magnitude: Self::F, sign: Self::F) -> Self::F;

    /// The bits of a float, as an integer
    fn bits(&self, a: Self::F) -> Self::I;
    /// The float with the given bits
    fn of_bits(&self, a: Self::I) -> Self::F;
    /// Truncation to an integer. The argument is always in range and not NaN.
    fn to_int(&self, a: Self::F) -> Self::I;
    /// The nearest float (ties to even) of a signed integer
    fn of_int(&self, a: Self::I) -> Self::F;

    /// `a + b`; the algorithm also computes the rounding error of the sum. If the target can reorder sums, an
    /// emitter must override the three `strict` functions with operations that are opaque to the target.
    fn strict_sum(&self, a: Self::F, b: Self::F) -> Self::F {
        self.add(a, b)
    }
    /// `a - b`, with the requirement of [`Emit::strict_sum`]
    fn strict_difference(&self, a: Self::F, b: Self::F) -> Self::F {
        self.sub(a, b)
    }
    /// `a b`, with the requirement of [`Emit::strict_sum`]
    fn strict_product(&self, a: Self::F, b: Self::F) -> Self::F {
        self.mul(a, b)
    }

    /// Whether the target has an instruction for [`Emit::near_exp2`].
    fn has_near_exp2(&self) -> bool {
        false
    }
    /// 2^a with an error of at most 3 ULP for -126 <= a <= 127, if [`Emit::has_near_exp2`]. The result is from 0 to 2^-126
    /// for smaller operands, and from 2^127 to infinity for larger ones.
    fn near_exp2(&self, a: Self::F) -> Self::F;
    /// Whether the target has an instruction for [`Emit::near_inverse`].
    fn has_near_inverse(&self) -> bool {
        false
    }
    /// 1 / a with an error of at most 1 ULP, for `a` from 1 to infinity, if [`Emit::has_near_inverse`]. The result can be 0
    /// if 1 / a is subnormal.
    fn near_inverse(&self, a: Self::F) -> Self::F {
        self.div(self.f(Self::Kind::float(1.0)), a)
    }

    /// `a + b`
    fn iadd(&self, a: Self::I, b: Self::I) -> Self::I;
    /// `a - b`
    fn isub(&self, a: Self::I, b: Self::I) -> Self::I;
    /// The low half of the product `a b`
    fn imul(&self, a: Self::I, b: Self::I) -> Self::I;
    /// The high half of the unsigned product `a b`
    fn umul_hi(&self, a: Self::I, b: Self::I) -> Self::I;
    /// Bitwise and
    fn iand(&self, a: Self::I, b: Self::I) -> Self::I;
    /// Bitwise or
    fn ior(&self, a: Self::I, b: Self::I) -> Self::I;
    /// Bitwise exclusive or
    fn ixor(&self, a: Self::I, b: Self::I) -> Self::I;
    /// `a << n`, 0 <= n < width; `n` can vary
    fn shl(&self, a: Self::I, n: Self::I) -> Self::I;
    /// `a >> n` filled with the sign, 0 <= n < width
    fn shr_s(&self, a: Self::I, n: Self::I) -> Self::I;
    /// `a >> n` filled with zeros, 0 <= n < width
    fn shr_u(&self, a: Self::I, n: Self::I) -> Self::I;

    /// `a < b`, false for NaN
    fn lt(&self, a: Self::F, b: Self::F) -> Self::B;
    /// `a <= b`, false for NaN
    fn le(&self, a: Self::F, b: Self::F) -> Self::B;
    /// `a == b`, false for NaN
    fn eq(&self, a: Self::F, b: Self::F) -> Self::B;
    /// `a < b`, signed
    fn ilt(&self, a: Self::I, b: Self::I) -> Self::B;
    /// `a < b`, unsigned
    fn ult(&self, a: Self::I, b: Self::I) -> Self::B;
    /// `a == b`
    fn ieq(&self, a: Self::I, b: Self::I) -> Self::B;
    /// `a` and `b`
    fn and(&self, a: Self::B, b: Self::B) -> Self::B;
    /// `a` or `b`
    fn or(&self, a: Self::B, b: Self::B) -> Self::B;
    /// not `a`
    fn not(&self, a: Self::B) -> Self::B;
    /// `yes` if `c`, else `no`
    fn select(&self, c: Self::B, yes: Self::F, no: Self::F) -> Self::F;
    /// `yes` if `c`, else `no`
    fn iselect(&self, c: Self::B, yes: Self::I, no: Self::I) -> Self::I;
}
