//! Buffers on the device: blocks of a pool, whose segments come from the driver.
//!
//! All work of a context runs on one stream, so that the next user of a released block follows the earlier ones. A dropped
//! buffer therefore neither waits nor calls the driver.
use crate::context::{Contexts, Entered};
use crate::driver::{Address, DriverError};
use crate::engine::Engine;
use cube_runtime::buffer::Storage;
use cube_runtime::pool::{Block, Heap, OutOfMemory, Pool, PoolPolicy};
use cube_runtime::{Buffer, MemoryUsage, RuntimeError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Alignment in bytes of every allocation of the driver (CUDA C++ Programming Guide, "Device Memory Accesses").
pub(crate) const BUFFER_ALIGNMENT: u32 = 256;

/// The driver as the source of segments.
struct Segments<'a>(&'a Engine);

impl Heap for Segments<'_> {
    type Segment = Address;
    type Error = DriverError;
    const ZEROED: bool = false;

    fn reserve(&mut self, bytes: u64) -> Result<Address, DriverError> {
        self.0.alloc(bytes)
    }

    fn release(&mut self, segment: Address) {
        // The error of a faulted context; the next call reports it.
        let _ = self.0.free(segment);
    }

    fn is_complete(&mut self, _event: u64) -> bool {
        // Blocks are released in stream order, never after an event.
        true
    }

    fn wait(&mut self) {
        let _ = self.0.sync();
    }
}

/// A heap whose segments no driver call touches, for a release without a context.
struct Kept;

impl Heap for Kept {
    type Segment = Address;
    type Error = ();
    const ZEROED: bool = false;

    fn reserve(&mut self, _bytes: u64) -> Result<Address, ()> {
        Err(())
    }

    fn release(&mut self, _segment: Address) {}

    fn is_complete(&mut self, _event: u64) -> bool {
        true
    }

    fn wait(&mut self) {}
}

/// The pool of the present context. A fault ends the context with all its memory, and the next context has an empty
/// pool.
pub(crate) struct DeviceMemory {
    policy: PoolPolicy,
    present: Mutex<(u64, Pool<Address>)>,
}

impl DeviceMemory {
    /// An empty pool that reserves at most `limit` bytes.
    pub fn new(limit: u64) -> Self {
        let policy = PoolPolicy::new(u64::from(BUFFER_ALIGNMENT), limit);
        DeviceMemory { policy, present: Mutex::new((0, Pool::new(policy))) }
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Pool<Address>)> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool_of(&self, generation: u64) -> MutexGuard<'_, (u64, Pool<Address>)> {
        let mut present = self.lock();
        // A thread that is late with an older context does not replace the newer pool: contexts are entered under a lock.
        if present.0 != generation {
            *present = (generation, Pool::new(self.policy));
        }
        present
    }

    /// A block of the entered context and its address.
    pub fn alloc(&self, entered: &Entered<'_>, bytes: u64) -> Result<(Block, Address), OutOfMemory<DriverError>> {
        let mut present = self.pool_of(entered.generation());
        let block = present.1.alloc(bytes, &mut Segments(entered.engine()))?;
        let address = *present.1.segment(&block) + block.offset;
        Ok((block, address))
    }

    /// Returns a block; a block of an older context is already lost with it.
    pub fn release(&self, generation: u64, block: Block) {
        let mut present = self.lock();
        if present.0 == generation {
            // The policy keeps all free segments, so that nothing is returned to the driver here.
            present.1.release(block, &mut Kept);
        }
    }

    /// Returns free segments to the driver.
    pub fn cleanup(&self, entered: &Entered<'_>) {
        self.pool_of(entered.generation()).1.trim(&mut Segments(entered.engine()));
    }

    /// Use of the present pool.
    pub fn usage(&self) -> MemoryUsage {
        self.lock().1.usage()
    }
}

/// One allocation; it belongs to the context of its generation and is lost with it.
pub(crate) struct Allocation {
    pub contexts: Arc<Contexts>,
    pub memory: Arc<DeviceMemory>,
    pub generation: u64,
    pub address: Address,
    pub block: Option<Block>,
    pub bytes: u64,
}

impl Allocation {
    /// The address of a byte, while the context that owns the memory exists.
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
        if let Some(block) = self.block.take() {
            self.memory.release(self.generation, block);
        }
    }
}

/// The allocation behind a buffer, if it belongs to `contexts`.
pub(crate) fn own<'a>(buffer: &'a Buffer, contexts: &Arc<Contexts>) -> Result<&'a Allocation, RuntimeError> {
    buffer.storage::<Allocation>().filter(|storage| Arc::ptr_eq(&storage.contexts, contexts)).ok_or_else(|| {
        RuntimeError::user("the buffer belongs to another device: allocate it on this CUDA device and copy the data")
    })
}
