//! Methods of `Option`. The variant of an option is known at compile time.
use super::value::{CubeType, Staged};
use crate::ir;

/// Expansions of methods on an option that contains a kernel value.
#[allow(missing_docs)]
pub trait OptionOfKernel<V> {
    fn __expand_is_some_method(&self) -> bool;
    fn __expand_is_none_method(&self) -> bool {
        !self.__expand_is_some_method()
    }
    fn __expand_unwrap_method(&self) -> V;
    fn __expand_expect_method(&self, message: &str) -> V;
    fn __expand_unwrap_or_method(&self, other: V) -> V;
    fn __expand_unwrap_or_else_method(&self, other: impl FnOnce() -> V) -> V;
    fn __expand_map_method<W>(&self, with: impl FnOnce(V) -> W) -> Option<W>;
    fn __expand_and_then_method<W>(&self, with: impl FnOnce(V) -> Option<W>) -> Option<W>;
}

impl<V: Staged> OptionOfKernel<V> for Option<V> {
    fn __expand_is_some_method(&self) -> bool {
        self.is_some()
    }
    fn __expand_unwrap_method(&self) -> V {
        self.__expand_expect_method("")
    }
    fn __expand_expect_method(&self, message: &str) -> V {
        self.as_ref().map(Staged::rd).unwrap_or_else(|| {
            let more = if message.is_empty() { String::new() } else { format!(": {message}") };
            ir::fail(format!("this option is `None`{more}; check it with `is_some()`, or use `unwrap_or(…)`"));
            V::dummy()
        })
    }
    fn __expand_unwrap_or_method(&self, other: V) -> V {
        self.as_ref().map_or(other, Staged::rd)
    }
    fn __expand_unwrap_or_else_method(&self, other: impl FnOnce() -> V) -> V {
        self.as_ref().map(Staged::rd).unwrap_or_else(other)
    }
    fn __expand_map_method<W>(&self, with: impl FnOnce(V) -> W) -> Option<W> {
        self.as_ref().map(Staged::rd).map(with)
    }
    fn __expand_and_then_method<W>(&self, with: impl FnOnce(V) -> Option<W>) -> Option<W> {
        self.as_ref().map(Staged::rd).and_then(with)
    }
}

/// Expansions of methods of a host option, for calls whose other operands are kernel values.
#[allow(missing_docs)]
pub trait OptionOfHost<T: CubeType> {
    fn __expand_unwrap_or_method(self, other: T::ExpandType) -> T::ExpandType;
    fn __expand_unwrap_or_else_method(self, other: impl FnOnce() -> T::ExpandType) -> T::ExpandType;
    fn __expand_map_method<W>(self, with: impl FnOnce(T::ExpandType) -> W) -> Option<W>;
    fn __expand_and_then_method<W>(self, with: impl FnOnce(T::ExpandType) -> Option<W>) -> Option<W>;
}

impl<T: CubeType> OptionOfHost<T> for Option<T> {
    fn __expand_unwrap_or_method(self, other: T::ExpandType) -> T::ExpandType {
        self.map_or(other, T::into_staged)
    }
    fn __expand_unwrap_or_else_method(self, other: impl FnOnce() -> T::ExpandType) -> T::ExpandType {
        self.map(T::into_staged).unwrap_or_else(other)
    }
    fn __expand_map_method<W>(self, with: impl FnOnce(T::ExpandType) -> W) -> Option<W> {
        self.map(T::into_staged).map(with)
    }
    fn __expand_and_then_method<W>(self, with: impl FnOnce(T::ExpandType) -> Option<W>) -> Option<W> {
        self.map(T::into_staged).and_then(with)
    }
}
