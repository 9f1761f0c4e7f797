//! The memory pool of a device, which divides large segments of device memory into blocks.
//!
//! The pool is a data structure on the host. The pool does not own the device memory, and calls a driver only through
//! [`Heap`]. When a buffer is dropped, its block returns to the pool. A segment returns to the driver only at
//! [`Pool::trim`], under memory pressure, or when the free segments exceed [`PoolPolicy::keep`].
//!
//! | request | segment | division |
//! |---|---|---|
//! | at most [`PoolPolicy::small`] | [`PoolPolicy::small_segment`] | split and merged |
//! | at most [`PoolPolicy::medium`] | [`PoolPolicy::medium_segment`] | split and merged |
//! | larger | rounded up to [`PoolPolicy::large_granule`] | one block each |
//!
//! Requests in [`persistent`] use separate segments of the first two kinds, so that a long-lived block does not keep a segment of
//! temporary blocks reserved.
//!
//! A request first takes a recently released block of exactly the requested size, without splitting or merging blocks.
//! If no such block exists, the request takes the smallest sufficient block of its size class (best fit). A
//! request takes O(log n) time for n free blocks.
mod blocks;
mod error;
#[cfg(test)]
mod tests;
mod usage;

pub use error::OutOfMemory;
pub use usage::MemoryUsage;

use crate::queue::Ticks;
use blocks::{Blocks, Class};
use std::cell::Cell;
use std::collections::VecDeque;

thread_local!(static PERSISTENT: Cell<bool> = const { Cell::new(false) });

/// Runs `work`. The requests of this thread in `work` are persistent: their buffers live longer than other buffers, for
/// example the weights of a model.
pub fn persistent<T>(work: impl FnOnce() -> T) -> T {
    /// Dropping this value restores the earlier state, also after a panic.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            PERSISTENT.set(self.0);
        }
    }
    let _restore = Restore(PERSISTENT.replace(true));
    work()
}

/// The source of a [`Pool`]'s segments: the driver of a GPU, or the host's virtual memory.
pub trait Heap {
    /// One range of memory that was reserved from the driver.
    type Segment;
    /// The reason why the driver refused a reservation.
    type Error;

    /// Whether the bytes of a new segment are all zero.
    const ZEROED: bool;

    /// Reserves `bytes` bytes, aligned to at least [`PoolPolicy::granule`].
    ///
    /// # Errors
    /// The driver refused the reservation. After an error, the pool trims its segments and retries once.
    fn reserve(&mut self, bytes: u64) -> Result<Self::Segment, Self::Error>;

    /// Returns a segment to the driver. The pool calls [`Heap::wait`] before this method, so no queued work uses
    /// the segment.
    fn release(&mut self, segment: Self::Segment);

    /// Whether the device has completed all work before the event with this number.
    fn is_complete(&mut self, event: u64) -> bool;

    /// Waits for all queued work of the device, before the pool returns memory to the driver. The method returns
    /// `false` if the wait fails. If the wait fails, the pool returns no memory to the driver.
    fn wait(&mut self) -> bool;
}

/// The sizes that a pool uses, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolPolicy {
    /// Alignment of blocks, a power of two; the size of each block is a multiple of this number.
    pub granule: u64,
    /// Maximum size of a request that is allocated in a small segment.
    pub small: u64,
    /// Size of a segment for small blocks.
    pub small_segment: u64,
    /// Maximum size of a request that is allocated in a medium segment.
    pub medium: u64,
    /// Size of a segment for medium blocks.
    pub medium_segment: u64,
    /// The size of each segment with a single block is a multiple of this number.
    pub large_granule: u64,
    /// Maximum total size of all segments.
    pub limit: u64,
    /// Maximum total size of free single-block segments that the pool keeps reserved.
    pub keep: u64,
}

impl PoolPolicy {
    /// Default sizes: 4 MiB segments for requests up to 256 KiB, and 32 MiB segments for requests up to 8 MiB. Each
    /// request above 8 MiB gets a segment with a single block. The size of a segment with a single block is a
    /// multiple of 2 MiB: the page size of NVIDIA GPUs, and the size of huge pages on x86-64.
    pub fn new(granule: u64, limit: u64) -> Self {
        PoolPolicy {
            granule,
            small: 256 << 10,
            small_segment: 4 << 20,
            medium: 8 << 20,
            medium_segment: 32 << 20,
            large_granule: 2 << 20,
            limit,
            keep: u64::MAX,
        }
    }
}

/// The limits of a pool that a user can set, in bytes; `None` keeps the device's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Maximum total size of all segments. See [`PoolPolicy::limit`].
    pub limit: Option<u64>,
    /// Maximum total size of free single-block segments that remain reserved. See [`PoolPolicy::keep`].
    pub keep: Option<u64>,
}

impl PoolPolicy {
    /// A copy of the policy with a user's limits.
    pub fn with(self, limits: MemoryLimits) -> Self {
        PoolPolicy { limit: limits.limit.unwrap_or(self.limit), keep: limits.keep.unwrap_or(self.keep), ..self }
    }
}

/// One allocated block. The functions that release a block take it by value, so a block cannot be released
/// twice.
#[must_use = "a block that is not released stays allocated"]
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    id: u32,
    requested: u64,
    /// Distance in bytes of the block from the start of its segment, a multiple of [`PoolPolicy::granule`].
    pub offset: u64,
    /// The last commands of earlier owners of the block, which must precede the commands of the current owner. The list
    /// is empty if every earlier owner released the block for immediate reuse.
    pub ticks: Ticks,
    /// Whether all bytes of the block are known to be zero. All bytes of a part of a zeroed segment that no buffer has
    /// used yet are zero.
    pub zeroed: bool,
}

/// A memory pool with segments of type `S`.
#[derive(Debug)]
pub struct Pool<S> {
    policy: PoolPolicy,
    blocks: Blocks<S>,
    /// Released blocks that queued work can still use, each with the event that ends the use, in the order of
    /// release.
    pending: VecDeque<(u64, Block)>,
    /// Released blocks that were neither merged nor added to a set of free blocks, in the order of release. A later
    /// buffer can reuse a released block of the same size.
    recent: Vec<u32>,
    used: u64,
    padding: u64,
    allocations: u64,
    pending_bytes: u64,
}

/// Maximum number of released blocks that are kept unmerged for requests of the same size.
const MAX_RECENT: usize = 8;

/// Maximum unused part of a single-block segment: a quarter of the request's size.
const WASTE: u64 = 4;

impl<S> Pool<S> {
    /// An empty pool. A new pool reserves no memory before the first request.
    pub fn new(policy: PoolPolicy) -> Self {
        Pool {
            policy,
            blocks: Blocks::default(),
            pending: VecDeque::new(),
            recent: Vec::with_capacity(MAX_RECENT),
            used: 0,
            padding: 0,
            allocations: 0,
            pending_bytes: 0,
        }
    }

    /// Allocates a block of at least `bytes` bytes; for 0 bytes, it allocates one granule.
    ///
    /// Under memory pressure, the pool returns all free segments to the driver, and retries once with a segment of
    /// exactly the required size.
    ///
    /// # Errors
    /// The pool's limit or the driver refuses the segment, even after the retry. After an error, the pool is
    /// unchanged, except for segments that it returned to the driver.
    pub fn alloc<H: Heap<Segment = S>>(&mut self, bytes: u64, heap: &mut H) -> Result<Block, OutOfMemory<H::Error>> {
        let Some((class, size, segment)) = self.request(bytes) else {
            return Err(OutOfMemory { requested: bytes, usage: self.usage(), limit: self.policy.limit, refusal: None });
        };
        self.collect(heap);
        if let Some(block) = self.take(class, size, bytes) {
            return Ok(block);
        }
        if self.grow(class, segment, heap).is_err() {
            let idle = heap.wait();
            self.collect(heap);
            // The completed work can have released a sufficient block.
            if let Some(block) = self.take(class, size, bytes) {
                return Ok(block);
            }
            if idle {
                self.return_empty(heap);
            }
            let usage = self.usage();
            let limit = self.policy.limit;
            self.grow(class, size, heap).map_err(|refusal| OutOfMemory { requested: bytes, usage, limit, refusal })?;
        }
        self.take(class, size, bytes).ok_or_else(|| OutOfMemory {
            requested: bytes,
            usage: self.usage(),
            limit: self.policy.limit,
            refusal: None,
        })
    }

    /// Sets the limits of the pool for later requests and releases.
    pub fn limit(&mut self, limits: MemoryLimits) {
        self.policy = self.policy.with(limits);
    }

    /// Returns free single-block segments to the driver if their total size exceeds [`PoolPolicy::keep`]. The pool
    /// waits for the device before it returns a segment.
    pub fn shrink<H: Heap<Segment = S>>(&mut self, heap: &mut H) {
        if self.blocks.free_large() > self.policy.keep && heap.wait() {
            while self.blocks.free_large() > self.policy.keep
                && let Some(segment) = self.blocks.remove_largest()
            {
                heap.release(segment);
            }
        }
    }

    /// The segment of a block, from which the caller computes the address of the block.
    pub fn segment(&self, block: &Block) -> &S {
        self.blocks.segment_of(block.id)
    }

    /// Size of a block in bytes, at least the requested size.
    pub fn size(&self, block: &Block) -> u64 {
        self.blocks.size(block.id)
    }

    /// Returns a block to the pool for immediate reuse. The caller guarantees that the next owner's commands run after
    /// the earlier commands, for example because all commands are on one queue.
    pub fn release<H: Heap<Segment = S>>(&mut self, block: Block, heap: &mut H) {
        self.release_used(block, &Ticks::default(), heap);
    }

    /// Returns a block to the pool, together with the last commands that use the block. The next owner of the
    /// block gets the last commands in [`Block::ticks`], and orders its own commands after these commands.
    pub fn release_used<H: Heap<Segment = S>>(&mut self, block: Block, ticks: &Ticks, heap: &mut H) {
        self.count_out(&block);
        self.blocks.set_ticks(block.id, *ticks);
        self.free(block, heap);
    }

    /// Returns a block to the pool. Queued work can use the block until `event` completes. The pool does not reuse the
    /// block before [`Heap::is_complete`] returns `true` for `event`.
    pub fn release_after(&mut self, block: Block, event: u64) {
        self.count_out(&block);
        self.pending_bytes += self.blocks.size(block.id);
        self.pending.push_back((event, block));
    }

    /// Makes pending blocks available again if their events have completed.
    pub fn collect<H: Heap<Segment = S>>(&mut self, heap: &mut H) {
        // The events of several queues complete in any order, so the loop inspects all entries.
        for _ in 0..self.pending.len() {
            let Some((event, block)) = self.pending.pop_front() else { return };
            if heap.is_complete(event) {
                self.pending_bytes -= self.blocks.size(block.id);
                self.free(block, heap);
            } else {
                self.pending.push_back((event, block));
            }
        }
    }

    /// Waits for the device, and then returns to the driver all segments in which every block is free.
    pub fn trim<H: Heap<Segment = S>>(&mut self, heap: &mut H) {
        if self.blocks.reserved() > 0 && heap.wait() {
            self.collect(heap);
            self.return_empty(heap);
        }
    }

    fn return_empty<H: Heap<Segment = S>>(&mut self, heap: &mut H) {
        self.merge_recent();
        for segment in self.blocks.remove_empty() {
            heap.release(segment);
        }
    }

    /// The current memory usage of the pool.
    pub fn usage(&self) -> MemoryUsage {
        MemoryUsage {
            allocations: self.allocations,
            used: self.used,
            padding: self.padding,
            pending: self.pending_bytes,
            reserved: self.blocks.reserved(),
        }
    }

    /// The size class of a request, the size of its block, and the size of a new segment for it. `None` if a
    /// size exceeds 64 bits.
    fn request(&self, bytes: u64) -> Option<(Class, u64, u64)> {
        let policy = &self.policy;
        let size = bytes.max(1).checked_next_multiple_of(policy.granule)?;
        let is_persistent = PERSISTENT.get();
        if size <= policy.small {
            let class = if is_persistent { Class::PersistentSmall } else { Class::Small };
            return Some((class, size, policy.small_segment));
        }
        if size <= policy.medium {
            let class = if is_persistent { Class::PersistentMedium } else { Class::Medium };
            return Some((class, size, policy.medium_segment));
        }
        let size = size.checked_next_multiple_of(policy.large_granule)?;
        Some((Class::Large, size, size))
    }

    fn take(&mut self, class: Class, size: u64, requested: u64) -> Option<Block> {
        let is_same = |id: &u32| self.blocks.size(*id) == size && self.blocks.class_of(*id) == class;
        let recent = self.recent.iter().rposition(is_same);
        let (id, zeroed) = match recent {
            Some(index) => (self.recent.remove(index), false),
            None => {
                let id = self.take_free(class, size)?;
                (id, self.blocks.zeroed(id))
            }
        };
        self.used += requested;
        self.padding += self.blocks.size(id) - requested;
        self.allocations += 1;
        Some(Block { id, requested, offset: self.blocks.offset(id), ticks: self.blocks.ticks(id), zeroed })
    }

    fn take_free(&mut self, class: Class, size: u64) -> Option<u32> {
        let most = if class == Class::Large { size.saturating_add(size / WASTE) } else { u64::MAX };
        if let Some(id) = self.blocks.take(class, size, most) {
            return Some(id);
        }
        self.merge_recent();
        self.blocks.take(class, size, most)
    }

    fn merge_recent(&mut self) {
        for id in self.recent.drain(..) {
            self.blocks.free(id);
        }
    }

    /// Adds a segment. The error contains the error of the heap, or `None` if the pool's limit refuses the segment.
    fn grow<H: Heap<Segment = S>>(&mut self, class: Class, bytes: u64, heap: &mut H) -> Result<(), Option<H::Error>> {
        let after = self.blocks.reserved().checked_add(bytes);
        if after.is_none_or(|after| after > self.policy.limit) {
            return Err(None);
        }
        let segment = heap.reserve(bytes).map_err(Some)?;
        self.blocks.add(class, bytes, segment, H::ZEROED);
        Ok(())
    }

    fn count_out(&mut self, block: &Block) {
        self.used -= block.requested;
        self.padding -= self.blocks.size(block.id) - block.requested;
        self.allocations -= 1;
    }

    fn free<H: Heap<Segment = S>>(&mut self, block: Block, heap: &mut H) {
        if self.blocks.size(block.id) <= self.policy.medium {
            if self.recent.len() == MAX_RECENT {
                self.blocks.free(self.recent.remove(0));
            }
            return self.recent.push(block.id);
        }
        self.blocks.free(block.id);
        self.shrink(heap);
    }
}
