//! Page-locked host memory, from a pool.
//!
//! Page-locked host memory. The pages belong to this process, and a context locks them. When the context ends, only the
//! page lock ends. The host memory of a program therefore stays valid after a fault.
use crate::context::{ContextGuard, Failure};
use crate::driver::{Class, Driver, DriverError, DriverResult};
use crate::engine::Engine;
use cube_runtime::pool::{Block, Heap, Pool, PoolPolicy};
use cube_runtime::queue::Ticks;
use cube_runtime::transfer::HostMemory;
use cube_runtime::{HostBytes, RuntimeError};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a page of host memory.
const PAGE: usize = 4096;

/// Host memory that consists of whole pages.
pub(crate) struct Pages {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to this value. The pool returns its blocks one by one.
unsafe impl Send for Pages {}
// SAFETY: shared access reads only the address.
unsafe impl Sync for Pages {}

impl Pages {
    fn new(bytes: usize) -> Option<Pages> {
        let layout = Layout::from_size_align(bytes.max(1), PAGE).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Pages { start, layout })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: from `alloc_zeroed` with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

struct Locked<'a, D: Driver>(&'a Engine<D>);

impl<D: Driver> Locked<'_, D> {
    fn context(&self) -> Option<D> {
        self.0.local_context()
    }
}

impl<D: Driver> Heap for Locked<'_, D> {
    type Segment = Arc<Pages>;
    type Error = DriverError;
    const ZEROED: bool = false;

    fn reserve(&mut self, bytes: u64) -> DriverResult<Arc<Pages>> {
        let refused = || DriverError {
            call: "an allocation".into(),
            class: Class::OutOfMemory,
            description: "the system has no memory".into(),
        };
        let pages = usize::try_from(bytes).ok().and_then(Pages::new).ok_or_else(refused)?;
        if let Some(context) = self.context() {
            // SAFETY: the pages live until `release` has ended the lock, or longer than the context.
            unsafe { context.lock(pages.start.as_ptr(), pages.layout.size()) }?;
        }
        Ok(Arc::new(pages))
    }

    fn release(&mut self, segment: Arc<Pages>) {
        if let Some(context) = self.context() {
            // SAFETY: page-locked in `reserve`. The error of a faulted context has no meaning here.
            let _: DriverResult<()> = unsafe { context.unlock(segment.start.as_ptr()) };
        }
    }

    fn is_complete(&mut self, _event: u64) -> bool {
        true
    }

    fn wait(&mut self) -> bool {
        self.0.sync().is_ok()
    }
}

/// A heap for releases without a context. The pool's policy keeps all free segments, so the pool never asks this heap
/// to free memory.
struct WithoutDriver;

impl Heap for WithoutDriver {
    type Segment = Arc<Pages>;
    type Error = ();
    const ZEROED: bool = false;

    fn reserve(&mut self, _bytes: u64) -> Result<Arc<Pages>, ()> {
        Err(())
    }

    fn release(&mut self, _segment: Arc<Pages>) {}

    fn is_complete(&mut self, _event: u64) -> bool {
        true
    }

    fn wait(&mut self) -> bool {
        false
    }
}

/// The page-locked memory of the current context.
pub(crate) struct Staging {
    policy: PoolPolicy,
    present: Mutex<(u64, Pool<Arc<Pages>>)>,
}

impl Staging {
    pub fn new(limit: u64) -> Self {
        let policy = PoolPolicy::new(256, limit);
        Staging { policy, present: Mutex::new((0, Pool::new(policy))) }
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Pool<Arc<Pages>>)> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates page-locked host memory with arbitrary contents.
    pub fn alloc<D: Driver>(
        self: &Arc<Self>,
        entered: &ContextGuard<'_, D>,
        bytes: usize,
    ) -> Result<PinnedBytes, Failure> {
        let mut present = self.lock();
        if present.0 != entered.generation() {
            *present = (entered.generation(), Pool::new(self.policy));
        }
        let block = present.1.alloc(bytes as u64, &mut Locked(entered.engine())).map_err(|error| {
            let why = match error.refusal {
                Some(fault) if fault.class == Class::Fault => return Failure::Driver(fault),
                Some(refusal) => refusal.description,
                None => "the limit is reached".into(),
            };
            let message = format!("cannot allocate {bytes} bytes of page-locked host memory ({why}): copy in parts");
            Failure::Reported(RuntimeError::device_limit(message))
        })?;
        let pages = present.1.segment(&block).clone();
        let (staging, generation) = (self.clone(), present.0);
        Ok(PinnedBytes { pages, bytes, block: Some(block), staging, generation })
    }

    /// Returns free segments of the pool to the system.
    pub fn cleanup<D: Driver>(&self, entered: &ContextGuard<'_, D>) {
        let mut present = self.lock();
        if present.0 == entered.generation() {
            present.1.trim(&mut Locked(entered.engine()));
        }
    }
}

/// A block of page-locked memory. The device owns the block during a copy, so that the program can access the block
/// only after the copy has completed.
pub(crate) struct PinnedBytes {
    pages: Arc<Pages>,
    bytes: usize,
    block: Option<Block>,
    staging: Arc<Staging>,
    generation: u64,
}

impl PinnedBytes {
    fn start(&self) -> *mut u8 {
        let offset = self.block.as_ref().map_or(0, |block| block.offset as usize);
        self.pages.start.as_ptr().wrapping_add(offset)
    }
}

impl HostMemory for PinnedBytes {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the pool gave these initialised bytes to this value alone.
        unsafe { std::slice::from_raw_parts(self.start(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.bytes) }
    }
}

impl Drop for PinnedBytes {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        let mut present = self.staging.lock();
        if present.0 == self.generation {
            present.1.release_used(block, &Ticks::default(), &mut WithoutDriver);
        }
    }
}

impl From<PinnedBytes> for HostBytes {
    fn from(bytes: PinnedBytes) -> HostBytes {
        HostBytes::new(bytes)
    }
}
