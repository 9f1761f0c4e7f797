//! What an argument becomes for its parameter.
use super::value::{CubePrimitive, IntoRuntime, Operand, R, Val, ViaKnown};

#[diagnostic::on_unimplemented(
    message = "a value of another kind is wanted here",
    note = "a value that the kernel computes cannot stand where one is wanted that is known when the kernel is compiled (`#[comptime]`)"
)]
/// How an argument becomes what the parameter wants: itself, or a number of the host as a staged value.
pub trait Arg<To> {
    /// The parameter's value.
    fn arg(self) -> To;
}

impl<T> Arg<T> for T {
    fn arg(self) -> T {
        self
    }
}

impl<T: CubePrimitive> Arg<Val<T>> for T {
    fn arg(self) -> Val<T> {
        Val::lit(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: CubePrimitive> Arg<Option<Val<T>>> for Option<T> {
    fn arg(self) -> Option<Val<T>> {
        self.map(Val::lit)
    }
}

/// The number of a loop's turn as an argument: of the host where the parameter is, staged otherwise.
pub struct Turn<V>(pub V);

impl<V> Arg<V> for Turn<V> {
    fn arg(self) -> V {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<T: CubePrimitive + Operand> Arg<T> for Turn<Val<T>> {
    fn arg(self) -> T {
        R(&self.0).host()
    }
}

macro_rules! tuples_of_numbers {
    ($(($($name:ident $at:tt),*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($name: IntoRuntime),*> IntoRuntime for ($($name,)*) {}
        #[diagnostic::do_not_recommend]
        impl<$($name: CubePrimitive),*> Arg<($(Val<$name>,)*)> for ($($name,)*) {
            fn arg(self) -> ($(Val<$name>,)*) {
                ($(Val::lit(self.$at),)*)
            }
        }
    )*};
}

tuples_of_numbers! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) }

/// [`Arg::arg`] as a function.
pub fn arg<A: Arg<B>, B>(value: A) -> B {
    value.arg()
}
