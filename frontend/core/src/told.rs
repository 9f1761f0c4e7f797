//! Names that rustc shows in messages about kernels, and their words: what a message lacks depends on these, and on no type of the
//! expansion.

/// A function that is no part of the kernel language.
#[derive(Debug)]
pub struct HostFunction;

/// A parameter of a function, and whether it is `#[comptime]`.
pub struct Comptime<const COMPTIME: bool>;

/// What a parameter makes of a value that the kernel computes.
#[diagnostic::on_unimplemented(
    message = "this is known only when the kernel runs, and the parameter is `#[comptime]`",
    label = "not known when the kernel is compiled",
    note = "mark what it comes from as `#[comptime]`, or use a constant; or take `#[comptime]` from the parameter"
)]
pub trait TakesValuesOfTheKernel {
    /// The value.
    type Out<T>;
    /// The value.
    fn out<T>(value: T) -> Self::Out<T>;
}

#[diagnostic::do_not_recommend]
impl TakesValuesOfTheKernel for Comptime<false> {
    type Out<T> = T;
    fn out<T>(value: T) -> T {
        value
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
