//! Allocations of the device.
use crate::engine::Engine;
use crate::segments::{NoHeap, Segment};
use cube_runtime::buffer::Storage;
use cube_runtime::pool::{Block, OutOfMemory};
use cube_runtime::{Buffer, RuntimeError};
use std::sync::Arc;

/// One allocation. If the engine is lost, its allocations are lost too.
pub(crate) struct Allocation {
    pub engine: Arc<Engine>,
    pub segment: Segment,
    /// The block of the pool; `None` for a buffer that the program created.
    block: Option<Block>,
    bytes: u64,
    /// Whether all bytes are zero at the creation of the allocation.
    pub zeroed: bool,
}

impl Allocation {
    /// Allocates a block of the pool.
    ///
    /// # Errors
    /// The pool cannot allocate a block of this size.
    pub fn new(engine: &Arc<Engine>, bytes: u64) -> Result<Self, OutOfMemory<RuntimeError>> {
        let (mut pool, mut segments) = engine.pool();
        let block = pool.alloc(bytes, &mut segments)?;
        let (segment, zeroed) = (pool.segment(&block).clone(), block.zeroed);
        drop(pool);
        Ok(Allocation { engine: Arc::clone(engine), segment, block: Some(block), bytes, zeroed })
    }

    /// Creates an allocation for a wgpu buffer that the program created.
    pub fn foreign(engine: &Arc<Engine>, buffer: wgpu::Buffer) -> Self {
        let bytes = buffer.size();
        Allocation { engine: Arc::clone(engine), segment: Segment::new(buffer), block: None, bytes, zeroed: false }
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
            // The block needs no ticks, because the queue executes later commands on the block after earlier commands.
            // The policy keeps all free segments.
            self.engine.pool().0.release(block, &mut NoHeap);
        }
    }
}

/// The allocation of a buffer of `engine`.
///
/// # Errors
/// The buffer belongs to a lost device or to another device.
pub(crate) fn own<'a>(buffer: &'a Buffer, engine: &Arc<Engine>) -> Result<&'a Allocation, RuntimeError> {
    let storage = buffer.storage::<Allocation>();
    match storage {
        Some(own) if Arc::ptr_eq(&own.engine, engine) => Ok(own),
        Some(other) if other.engine.lost_reason().is_some() => Err(other.engine.lost_error()),
        _ => Err(RuntimeError::user(
            "the buffer belongs to another device; allocate it on this device of wgpu and copy the data",
        )),
    }
}
