//! Conversion of call arguments to the types of their parameters.
use super::value::{CubePrimitive, IntoRuntime, Operand, R, Staged, Val, ViaKnown, assign};

#[diagnostic::on_unimplemented(
    message = "the argument does not have the kind of value that the parameter expects",
    note = "a run-time value cannot be passed to a `#[comptime]` parameter, which requires a value known at compile time"
)]
/// Converts an argument to the type of its parameter. A host number becomes a staged number; other arguments
/// are unchanged.
pub trait Arg<To> {
    /// The value of the parameter.
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

/// The counter of an unrolled loop, as an argument of a call. A comptime parameter receives the counter as a host
/// number. Other parameters receive a staged number.
pub struct LoopCounter<V>(pub V);

impl<V> Arg<V> for LoopCounter<V> {
    fn arg(self) -> V {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<T: CubePrimitive + Operand> Arg<T> for LoopCounter<Val<T>> {
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

/// Same as [`Arg::arg`].
pub fn arg<A: Arg<B>, B>(value: A) -> B {
    value.arg()
}

/// The target of an assignment `*x = value` in a kernel of [`v11`](crate::v11), where memory of one element has an
/// inherent method `assign`.
pub struct DerefTarget<'a, T>(pub &'a mut T);

/// Assignments through references to staged values.
pub trait AssignDeref<V> {
    /// Assigns to the value.
    fn assign<A: Arg<V>>(self, value: A, position: u32);
}

impl<V: Staged> AssignDeref<V> for DerefTarget<'_, V> {
    fn assign<A: Arg<V>>(self, value: A, position: u32) {
        assign(self.0, value, position);
    }
}
