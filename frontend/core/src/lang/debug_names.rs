//! Records the names of values for debuggers.
use super::containers::{Container, Mem};
use super::value::{CubePrimitive, R, Val};
use crate::ir::{Raw, with};

fn name_value(raw: Raw, name: &str) {
    with(|b| b.name_value(raw, name));
}

fn name_allocation(id: u32, name: &str) {
    with(|b| b.name_allocation(id, name));
}

/// Values and memory with debug information.
pub trait ViaNumber {
    /// Records the name of the value.
    fn record_debug_name(&self, name: &str);
}

impl<T: CubePrimitive> ViaNumber for R<'_, Val<T>> {
    fn record_debug_name(&self, name: &str) {
        name_value(self.0.raw, name);
    }
}

impl<C: Container> ViaNumber for R<'_, Mem<C>> {
    fn record_debug_name(&self, name: &str) {
        name_allocation(self.0.mem.id, name);
    }
}

/// Values without debug information.
pub trait ViaOther {
    /// Does nothing.
    fn record_debug_name(&self, _: &str) {}
}

impl<T> ViaOther for &R<'_, T> {}
