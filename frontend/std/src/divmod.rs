//! Division by a divisor that is uniform over the launch.
//!
//! If the divisor is a scalar launch argument, the compiler replaces the division by multiplications. The host
//! computes the multipliers once per launch (`passes/src/optimize/fast_division.rs`). [`FastDivmod`] contains the
//! divisor, and has the same code as `/` and `%`. [`FastDivmod`] exists for kernels that were written for CubeCL.
use cube_frontend::__private::{CompileArg, Launch, Params};
use cube_frontend::prelude::*;
use std::marker::PhantomData;

/// Unsigned integer types that [`FastDivmod`] supports.
pub trait Divisor: Int + LaunchArgOfNumber {
    /// The number 1.
    fn one() -> Self;
}

/// Number types that scalar launch arguments can have.
pub trait LaunchArgOfNumber: cube_frontend::lang::math::Scalar {}
impl<T: cube_frontend::lang::math::Scalar> LaunchArgOfNumber for T {}

macro_rules! divisors {
    ($($ty:ident),*) => {$(
        impl Divisor for $ty {
            fn one() -> Self {
                1
            }
        }
    )*};
}

divisors!(u32, u64);

/// A divisor that is uniform over the launch.
#[derive(CubeType, Clone, Copy)]
pub struct FastDivmod<I: Int = u32> {
    /// The divisor.
    pub divisor: I,
}

#[cube]
impl<I: Int> FastDivmod<I> {
    /// The quotient of `dividend` and the divisor.
    pub fn div(&self, dividend: I) -> I {
        dividend / self.divisor
    }

    /// The remainder of `dividend` divided by the divisor.
    pub fn modulo(&self, dividend: I) -> I {
        dividend % self.divisor
    }

    /// The quotient and the remainder of `dividend` and the divisor.
    pub fn div_mod(&self, dividend: I) -> (I, I) {
        (dividend / self.divisor, dividend % self.divisor)
    }
}

/// The launch argument of a [`FastDivmod`].
pub struct FastDivmodArgs<'a, R: Runtime, I: Divisor = u32> {
    divisor: ScalarArg<I>,
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
    /// Creates the argument for a divisor. The constructor replaces the divisor 0 by 1.
    pub fn new(_client: &ComputeClient<R::Server>, divisor: I) -> Self {
        let divisor = if divisor == I::from_int(0) { I::one() } else { divisor };
        FastDivmodArgs { divisor: ScalarArg::new(divisor), handles: PhantomData, runtime: PhantomData }
    }
}

impl<I: Divisor> LaunchArg for FastDivmod<I> {
    type RuntimeArg<'a, R: Runtime> = FastDivmodArgs<'a, R, I>;

    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        CompileArg::Node(vec![<I as LaunchArg>::register::<R>(&arg.divisor, launch)])
    }

    fn enter(arg: &CompileArg, params: &mut Params) -> FastDivmodExpand<I> {
        FastDivmod::<I>::fields_in_a_kernel(<I as LaunchArg>::enter(arg.part(0), &mut params.field("divisor")))
    }
}

/// Constructor with one parameter per field, in order.
#[cube]
impl<I: Int> FastDivmod<I> {
    // Launches call only the expansion of this function.
    #[allow(dead_code)]
    fn fields(divisor: I) -> FastDivmod<I> {
        FastDivmod::<I> { divisor }
    }
}
