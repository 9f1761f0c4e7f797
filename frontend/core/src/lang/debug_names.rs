//! Records the names of values for debuggers.
use super::containers::{Container, Mem};
use super::value::{CubePrimitive, R, Val};
use crate::ir::with;

/// Values and memory with debug information.
pub trait ViaNumber {
    /// Records the name of the value.
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

/// Values without debug information.
pub trait ViaOther {
    /// Does nothing.
    fn called(&self, _: &str) {}
}

impl<T> ViaOther for &R<'_, T> {}
