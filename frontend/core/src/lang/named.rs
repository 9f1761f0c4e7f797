//! Names of a program's values, for a debugger.
use super::containers::{Container, Mem};
use super::value::{CubePrimitive, R, Val};
use crate::ir::with;

/// Numbers that the program gives a name.
pub trait ViaNumber {
    /// Tells a debugger of it.
    fn called(&self, name: &str);
}

impl<T: CubePrimitive> ViaNumber for R<'_, Val<T>> {
    fn called(&self, name: &str) {
        with(|b| b.call(self.0.raw, name));
    }
}

impl<C: Container> ViaNumber for R<'_, Mem<C>> {
    fn called(&self, name: &str) {
        with(|b| b.call_memory(self.0.mem.id, name));
    }
}

/// Everything else that has a name.
pub trait ViaOther {
    /// Nothing that a debugger could show.
    fn called(&self, _: &str) {}
}

impl<T> ViaOther for &R<'_, T> {}
