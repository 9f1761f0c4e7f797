//! Buffers on the device.
use crate::context::{Contexts, Entered};
use crate::driver::Address;
use cube_runtime::buffer::Storage;
use cube_runtime::{Buffer, RuntimeError};
use std::sync::Arc;

/// Every allocation of the driver begins at a multiple of this many bytes (CUDA C++ Programming Guide, "Device Memory Accesses").
pub(crate) const BUFFER_ALIGNMENT: u32 = 256;

/// One allocation; it belongs to the context of its generation and is lost with it.
pub(crate) struct Allocation {
    pub contexts: Arc<Contexts>,
    pub generation: u64,
    pub address: Address,
    pub bytes: u64,
}

impl Allocation {
    /// The address of a byte, while the context is the one that the memory belongs to.
    pub fn address(&self, entered: &Entered<'_>, offset: u64) -> Result<Address, RuntimeError> {
        if self.generation != entered.generation() {
            return Err(self.contexts.lost(self.generation));
        }
        Ok(self.address + offset)
    }
}

impl Storage for Allocation {
    fn size(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.contexts.release(self.generation, |engine| {
            // Launches that use it may still run. A fault that comes to light here is met again by the next call.
            let _ = engine.sync();
            let _ = engine.free(self.address);
        });
    }
}

/// The allocation behind a buffer, where it is one of `contexts`.
pub(crate) fn own<'a>(buffer: &'a Buffer, contexts: &Arc<Contexts>) -> Result<&'a Allocation, RuntimeError> {
    buffer.storage::<Allocation>().filter(|storage| Arc::ptr_eq(&storage.contexts, contexts)).ok_or_else(|| {
        RuntimeError::user("the buffer belongs to another device: allocate it on this CUDA device and copy the data")
    })
}
