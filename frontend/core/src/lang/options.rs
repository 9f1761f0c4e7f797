//! Methods of options whose presence is known when the kernel is compiled.
use super::value::{Operand, Staged, Val};
use crate::ir;

/// What a kernel may ask of any option.
#[allow(missing_docs)]
pub trait OptionMethods<T>: Sized {
    fn __expand_is_some_method(self) -> bool;
    fn __expand_is_none_method(self) -> bool;
    fn __expand_unwrap_method(self) -> T;
}

impl<T: Staged> OptionMethods<T> for Option<T> {
    fn __expand_is_some_method(self) -> bool {
        self.is_some()
    }
    fn __expand_is_none_method(self) -> bool {
        self.is_none()
    }
    fn __expand_unwrap_method(self) -> T {
        self.unwrap_or_else(|| {
            ir::fail("this option holds no value: ask `is_some()` first, or use `unwrap_or`");
            T::dummy()
        })
    }
}

/// The same for options of numbers, which may be the host's or the kernel's.
#[allow(missing_docs)]
pub trait OptionOfNumber<T>: Sized {
    fn __expand_unwrap_or_method(self, other: Val<T>) -> Val<T>;
    fn __expand_unwrap_or_else_method<O: Operand<T = T>>(self, other: impl FnOnce() -> O) -> Val<T>;
}

impl<N: Operand> OptionOfNumber<N::T> for Option<N> {
    fn __expand_unwrap_or_method(self, other: Val<N::T>) -> Val<N::T> {
        self.map_or(other, Operand::val)
    }
    fn __expand_unwrap_or_else_method<O: Operand<T = N::T>>(self, other: impl FnOnce() -> O) -> Val<N::T> {
        self.map_or_else(|| other().val(), Operand::val)
    }
}
