//! Buffers on the device: blocks of a pool, which gets its segments from the driver.
//!
//! A released block keeps the ticks of its last commands. The commands of the block's next owner run after the
//! last commands of its previous owner. The drop of a buffer therefore neither waits nor calls the driver.
use crate::context::{ContextGuard, Contexts, Failure};
use crate::driver::{Address, Driver, DriverError, DriverResult};
use crate::engine::Engine;
use crate::event::Point;
use crate::pending_clear::PendingClear;
use cube_runtime::buffer::Storage;
use cube_runtime::device::Completion;
use cube_runtime::pool::{Block, Heap, OutOfMemory, Pool, PoolPolicy};
use cube_runtime::queue::{Ticks, Uses};
use cube_runtime::{Buffer, MemoryLimits, MemoryUsage, Queue, RuntimeError};
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The source of segments, which allocates device memory with the driver.
struct Segments<'a, D: Driver>(&'a Engine<D>);

impl<D: Driver> Heap for Segments<'_, D> {
    type Segment = Address;
    type Error = DriverError;
    const ZEROED: bool = false;

    fn reserve(&mut self, bytes: u64) -> Result<Address, DriverError> {
        self.0.alloc(bytes)
    }

    fn release(&mut self, segment: Address) {
        // The error is ignored here. If the context has faulted, the next call reports the fault.
        let _ = self.0.free(segment);
    }

    fn is_complete(&mut self, _event: u64) -> bool {
        // This method is never called, because blocks are released with ticks, and not with events.
        true
    }

    fn wait(&mut self) -> bool {
        self.0.sync().is_ok()
    }
}

/// A heap that drops its segments without a driver call. The pool uses this heap for releases without a
/// context.
struct WithoutDriver;

impl Heap for WithoutDriver {
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

    fn wait(&mut self) -> bool {
        false
    }
}

/// The pool of the current context. A fault ends the context with all its memory, and the next context has an empty
/// pool.
pub(crate) struct DeviceMemory {
    policy: Mutex<PoolPolicy>,
    present: Mutex<(u64, Pool<Address>)>,
}

impl DeviceMemory {
    /// An empty pool that reserves at most `limit` bytes, in multiples of `granule`.
    pub fn new(granule: u32, limit: u64) -> Self {
        let policy = PoolPolicy::new(u64::from(granule), limit);
        DeviceMemory { policy: Mutex::new(policy), present: Mutex::new((0, Pool::new(policy))) }
    }

    fn policy(&self) -> MutexGuard<'_, PoolPolicy> {
        self.policy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the limits of this pool and of the pools of later contexts.
    pub fn limit(&self, limits: MemoryLimits) {
        let mut policy = self.policy();
        *policy = policy.with(limits);
        drop(policy);
        self.lock().1.limit(limits);
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Pool<Address>)> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool_of(&self, generation: u64) -> MutexGuard<'_, (u64, Pool<Address>)> {
        let mut present = self.lock();
        // A thread enters a context under a lock. A thread in an older context can therefore not replace the pool of a
        // newer context.
        if present.0 != generation {
            *present = (generation, Pool::new(*self.policy()));
        }
        present
    }

    /// Allocates a block of device memory in the current context. Returns the block and its address.
    pub fn alloc<D: Driver>(
        &self,
        entered: &ContextGuard<'_, D>,
        bytes: u64,
    ) -> Result<(Block, Address), OutOfMemory<DriverError>> {
        let mut present = self.pool_of(entered.generation());
        // A release of a block runs without a context and calls no driver. This call therefore returns free memory to
        // the driver.
        present.1.shrink(&mut Segments(entered.engine()));
        let block = present.1.alloc(bytes, &mut Segments(entered.engine()))?;
        let address = *present.1.segment(&block) + block.offset;
        Ok((block, address))
    }

    /// Returns a block to the pool. The commands up to `ticks` can still use the block. A block of an older context no
    /// longer exists, so it is ignored.
    pub fn release(&self, generation: u64, block: Block, ticks: Ticks) {
        let mut present = self.lock();
        if present.0 == generation {
            // This call returns no memory to the driver, because the heap `WithoutDriver` refuses to wait for the
            // device.
            present.1.release_used(block, &ticks, &mut WithoutDriver);
        }
    }

    /// Returns free segments to the driver.
    pub fn cleanup<D: Driver>(&self, entered: &ContextGuard<'_, D>) {
        self.pool_of(entered.generation()).1.trim(&mut Segments(entered.engine()));
    }

    /// Memory use of the current pool.
    pub fn usage(&self) -> MemoryUsage {
        self.lock().1.usage()
    }
}

/// One allocation. The allocation belongs to the context with its generation number, and is lost when this
/// context ends. The fields that a launch reads are in one cache line.
#[repr(C)]
pub(crate) struct Allocation<D: Driver> {
    pub contexts: Arc<Contexts<D>>,
    pub generation: u64,
    pub address: Address,
    pub bytes: u64,
    /// Whether the first command must clear the allocation.
    pub clearing: PendingClear,
    pub uses: Mutex<Uses>,
    pub memory: Arc<DeviceMemory>,
    /// `None` for memory of another owner.
    pub block: Option<Block>,
    /// The point in a queue of another device after which the copy from that device to this allocation is complete.
    pub source: Mutex<Option<Point<D>>>,
    /// The owner of imported memory, which is dropped with the allocation.
    pub _owner: Option<Box<dyn Any + Send + Sync>>,
}

impl<D: Driver> Allocation<D> {
    /// The address of a byte of the allocation, without clearing. An error if the allocation belongs to an earlier
    /// context.
    pub fn present_address(&self, entered: &ContextGuard<'_, D>, offset: u64) -> Result<Address, RuntimeError> {
        if self.generation != entered.generation() {
            return Err(self.contexts.lost(self.generation));
        }
        Ok(self.address + offset)
    }

    /// Whether the allocation belongs to the device of `contexts`.
    pub fn is_of(&self, contexts: &Arc<Contexts<D>>) -> bool {
        Arc::ptr_eq(&self.contexts, contexts)
    }

    /// The address of the first byte of `bytes`, without clearing. `None` if the allocation belongs to an earlier context, or
    /// does not contain the bytes.
    pub fn address_in(&self, entered: &ContextGuard<'_, D>, bytes: &Range<u64>) -> Option<Address> {
        let is_present = self.generation == entered.generation() && bytes.end <= self.bytes;
        is_present.then(|| self.address + bytes.start)
    }

    /// The address of a byte, for a command of `queue`. The allocation is cleared first, if that is pending.
    ///
    /// # Errors
    /// The allocation belongs to an earlier context, or the driver refuses the clearing.
    pub fn address(&self, entered: &ContextGuard<'_, D>, queue: Queue, offset: u64) -> Result<Address, Failure> {
        let address = self.present_address(entered, offset)?;
        self.clear(entered, queue)?;
        Ok(address)
    }

    /// Clears the allocation, if that is pending.
    pub fn clear(&self, entered: &ContextGuard<'_, D>, queue: Queue) -> DriverResult<()> {
        self.clearing.clear(|| {
            let clear = |engine: &Engine<D>, stream| engine.clear(stream, self.address, self.bytes);
            entered.submit(queue, std::iter::once((&self.uses, true)), clear)
        })
    }

    /// Whether another device has written the allocation, and no read of the allocation has completed since then.
    pub fn has_source(&self) -> bool {
        self.source.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Checks that a fault of another device did not interrupt a copy to this allocation. All commands that write the
    /// allocation must have completed before this call.
    ///
    /// # Errors
    /// The fault of the other device.
    pub fn check_source(&self) -> Result<(), RuntimeError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(point) = &*source {
            point.wait()?;
        }
        *source = None;
        Ok(())
    }
}

impl<D: Driver> Storage for Allocation<D> {
    fn size(&self) -> u64 {
        self.bytes
    }
}

impl<D: Driver> Drop for Allocation<D> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            let ticks = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner).all();
            self.memory.release(self.generation, block, ticks);
        }
    }
}

/// The allocation of a buffer; an error if the buffer does not belong to the device of `contexts`.
pub(crate) fn own<'a, D: Driver>(
    buffer: &'a Buffer,
    contexts: &Arc<Contexts<D>>,
) -> Result<&'a Allocation<D>, RuntimeError> {
    let own = buffer.storage::<Allocation<D>>().filter(|storage| storage.is_of(contexts));
    own.ok_or_else(|| {
        RuntimeError::user(format!(
            "the buffer belongs to another device; allocate it on this {} device and copy the data",
            D::NAME
        ))
    })
}
