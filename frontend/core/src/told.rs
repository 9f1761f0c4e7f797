//! Names that rustc shows in messages about kernels, and their words: what a message lacks depends on these, and on no type of the
//! expansion.

use crate::lang::value::{CubeType, Val};

/// A function that is no part of the kernel language.
#[derive(Debug)]
pub struct HostFunction;

/// A parameter that takes what the kernel computes, a number of type `T`. A `#[comptime]` parameter is of the host's own type, and takes
/// none.
#[diagnostic::on_unimplemented(
    message = "this is known only when the kernel runs, and the parameter is `#[comptime]`",
    label = "not known when the kernel is compiled",
    note = "mark what it comes from as `#[comptime]`, or use a constant; or take `#[comptime]` from the parameter"
)]
pub trait ParameterOfTheKernel<T> {
    /// The value.
    fn take(value: Val<T>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T> ParameterOfTheKernel<T> for Val<T> {
    fn take(value: Val<T>) -> Self {
        value
    }
}

/// A number of the kernel as an argument of a parameter that may be `#[comptime]`.
pub trait ComputedByTheKernel<T>: Sized {
    /// The parameter's value.
    fn given<To: ParameterOfTheKernel<T>>(self) -> To;
}

impl<T> ComputedByTheKernel<T> for Val<T> {
    fn given<To: ParameterOfTheKernel<T>>(self) -> To {
        To::take(self)
    }
}

/// A type as itself.
pub trait Same<T> {}

impl<T> Same<T> for T {}

/// A value of a type that no derive has made one of the language.
pub struct ValueOf<T: ?Sized>(std::marker::PhantomData<T>);

impl<T: ?Sized> ValueOf<T> {
    /// It in a kernel: there is none.
    pub fn in_a_kernel<S>(self) -> S
    where
        T: CubeType,
        S: Same<T::ExpandType>,
    {
        unreachable!()
    }
}

/// Whether the constant of a body is one.
pub struct Body<const N: usize>;

/// A body that has been found wrong.
#[diagnostic::on_unimplemented(
    message = "an enum of that name came before, with other variants: put this function behind its own, or give one another name",
    label = "this names a variant that the other has not"
)]
pub trait Told {}

impl Told for Body<1> {}
