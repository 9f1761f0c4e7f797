//! Division by a divisor that is uniform over the launch.
//!
//! Let `l = ceil(log2 d)`, `m = floor(2^N (2^l - d) / d) + 1` and `t = mulhi(m, n)`. The quotient
//! of the N-bit number `n` by `d` is `(t + ((n - t) >> min(l, 1))) >> max(l - 1, 0)`, for every `n`
//! and every `d >= 1`. Source: Granlund and Montgomery, "Division by Invariant Integers using
//! Multiplication", 1994, section 4.
use cube_frontend::__private::{CompileArg, Launch, Params};
use cube_frontend::prelude::*;
use std::marker::PhantomData;

/// Unsigned integer types of [`FastDivmod`].
pub trait Divisor: Int + LaunchArgOfNumber {
    /// The multiplier and the two shift amounts of a divisor.
    fn magic(self) -> (Self, Self, Self);
    /// The number 1.
    fn one() -> Self;
}

/// Number types of scalar launch arguments.
pub trait LaunchArgOfNumber: cube_frontend::lang::math::Scalar {}
impl<T: cube_frontend::lang::math::Scalar> LaunchArgOfNumber for T {}

/// `ceil(log2 d)`.
fn ceil_log2(d: u128) -> u32 {
    if d <= 1 { 0 } else { 128 - (d - 1).leading_zeros() }
}

macro_rules! divisors {
    ($($ty:ident),*) => {$(
        impl Divisor for $ty {
            fn magic(self) -> (Self, Self, Self) {
                let (d, bits) = (u128::from(self), $ty::BITS);
                let l = ceil_log2(d);
                // Less than 2^(l - 1), so that the shifted number fits into 128 bits for 64-bit
                // types as well.
                let high = (1u128 << l) - d;
                let multiplier = ((high << bits) / d + 1) as $ty;
                (multiplier, l.min(1) as $ty, l.saturating_sub(1) as $ty)
            }
            fn one() -> Self {
                1
            }
        }
    )*};
}

divisors!(u32, u64);

/// A divisor, prepared for division by multiplication and shifts.
#[derive(CubeType, Clone, Copy)]
pub struct FastDivmod<I: Int = u32> {
    /// The divisor.
    pub divisor: I,
    multiplier: I,
    shift_first: I,
    shift_last: I,
}

#[cube]
impl<I: Int> FastDivmod<I> {
    /// The quotient of `dividend` by the divisor.
    pub fn div(&self, dividend: I) -> I {
        let t = I::mul_hi(self.multiplier, dividend);
        (t + ((dividend - t) >> self.shift_first)) >> self.shift_last
    }

    /// The remainder of `dividend`.
    pub fn modulo(&self, dividend: I) -> I {
        dividend - self.div(dividend) * self.divisor
    }

    /// The quotient and the remainder.
    pub fn div_mod(&self, dividend: I) -> (I, I) {
        let q = self.div(dividend);
        (q, dividend - q * self.divisor)
    }
}

/// The launch argument of a [`FastDivmod`].
pub struct FastDivmodArgs<'a, R: Runtime, I: Divisor = u32> {
    divisor: I,
    handles: PhantomData<&'a ()>,
    runtime: PhantomData<R>,
}

impl<R: Runtime, I: Divisor> Clone for FastDivmodArgs<'_, R, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Runtime, I: Divisor> Copy for FastDivmodArgs<'_, R, I> {}

impl<R: Runtime, I: Divisor> FastDivmodArgs<'_, R, I> {
    /// A divisor. 0 is replaced by 1.
    pub fn new(_client: &ComputeClient<R::Server>, divisor: I) -> Self {
        let divisor = if divisor == I::from_int(0) { I::one() } else { divisor };
        FastDivmodArgs { divisor, handles: PhantomData, runtime: PhantomData }
    }
}

impl<I: Divisor> LaunchArg for FastDivmod<I> {
    type RuntimeArg<'a, R: Runtime> = FastDivmodArgs<'a, R, I>;

    fn register<'a, R: Runtime>(arg: &Self::RuntimeArg<'a, R>, launch: &mut Launch) -> CompileArg {
        let (multiplier, first, last) = arg.divisor.magic();
        let numbers = [arg.divisor, multiplier, first, last];
        CompileArg::Node(numbers.map(|n| <I as LaunchArg>::register::<R>(&ScalarArg::new(n), launch)).to_vec())
    }

    fn enter(arg: &CompileArg, params: &mut Params) -> FastDivmodExpand<I> {
        let field = |i: usize, name: &str| <I as LaunchArg>::enter(arg.part(i), &mut params.field(name));
        FastDivmod::<I>::__expand_fields(
            field(0, "divisor"),
            field(1, "multiplier"),
            field(2, "shift_first"),
            field(3, "shift_last"),
        )
    }
}

/// Constructor from the fields, in order.
#[cube]
impl<I: Int> FastDivmod<I> {
    // Only its expansion is called, by launches.
    #[allow(dead_code)]
    fn fields(divisor: I, multiplier: I, shift_first: I, shift_last: I) -> FastDivmod<I> {
        FastDivmod::<I> { divisor, multiplier, shift_first, shift_last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's computation, on the host.
    fn host<I: Into<u128>>(n: u128, bits: u32, magic: (I, I, I)) -> u128 {
        let (m, first, last) = (magic.0.into(), magic.1.into(), magic.2.into());
        let mask = (1u128 << bits) - 1;
        let t = (m * n) >> bits;
        ((t + (((n - t) & mask) >> first)) & mask) >> last
    }

    #[test]
    fn the_quotient_is_exact_on_the_full_range() {
        let mut divisors: Vec<u64> = (1..=70).collect();
        for k in 1..64 {
            divisors.extend([(1 << k) - 1, 1 << k, (1 << k) + 1]);
        }
        divisors.extend([641, 6_700_417, 0xAAAA_AAAB, u64::from(u32::MAX), u64::MAX - 1, u64::MAX]);
        for d in divisors {
            let small = u32::try_from(d).ok();
            let mut near = vec![0, 1, d - 1, d, d.saturating_add(1)];
            for max in [u64::from(u32::MAX), u64::MAX] {
                let top = max / d * d;
                near.extend([
                    top,
                    top.wrapping_sub(1),
                    top.saturating_add(1).min(max),
                    max,
                    max / 2,
                    max / 2 + 1,
                    max - 1,
                ]);
            }
            for n in near {
                if let (Some(d), Ok(n)) = (small, u32::try_from(n)) {
                    assert_eq!(host(n.into(), 32, d.magic()), u128::from(n / d), "{n} / {d}");
                }
                assert_eq!(host(n.into(), 64, d.magic()), u128::from(n / d), "{n} / {d}");
            }
        }
    }
}
