//! Buffers in the memory of the host.
//!
//! Each buffer is a block of a pool ([`cube_runtime::pool`]). The segments of the pool are anonymous pages. The
//! operating system zeroes a page when a thread first accesses it, so allocating a gigabyte takes microseconds.
//! Reused memory is zeroed only if the caller requests zeroed memory.
use crate::tracking::Tracking;
use cube_runtime::buffer::Storage;
use cube_runtime::pool::{Block, Heap, OutOfMemory, Pool, PoolPolicy};
use cube_runtime::{Buffer, ExternalMemory, Init, MemoryLimits, MemoryUsage, RuntimeError, external};
use memmap2::MmapMut;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Alignment of buffers: two cache lines, because the prefetcher fetches pairs of adjacent lines.
pub(crate) const BUFFER_ALIGNMENT: usize = 128;

/// Maximum size in bytes of a small copy, which executes immediately if no queued command uses its buffers.
/// If a queued command uses the buffers, the device queues the small copy. For a copy from the host, the queued
/// command contains the host's data, so that the caller does not wait.
pub(crate) const SMALL_COPY: usize = 64 << 10;

/// Maximum total size of free memory from large buffers that stays reserved. This limit leaves memory for the other
/// parts of the program.
const MAX_KEPT: u64 = 256 << 20;

/// The source of the pool's segments: pages of the host.
struct Pages;

/// One mapping of anonymous pages.
struct Mapping {
    start: NonNull<u8>,
    _pages: MmapMut,
}

// SAFETY: the mapping belongs to this value alone and does not depend on a thread.
unsafe impl Send for Mapping {}

impl Heap for Pages {
    type Segment = Mapping;
    type Error = ();
    const ZEROED: bool = true;

    fn reserve(&mut self, bytes: u64) -> Result<Mapping, ()> {
        let mut pages = MmapMut::map_anon(usize::try_from(bytes).map_err(drop)?).map_err(drop)?;
        #[cfg(target_os = "linux")]
        // This call is only a hint to the operating system. A system without huge pages uses small pages.
        let _ = pages.advise(memmap2::Advice::HugePage);
        let start = NonNull::new(pages.as_mut_ptr()).ok_or(())?;
        Ok(Mapping { start, _pages: pages })
    }

    fn release(&mut self, segment: Mapping) {
        drop(segment);
    }

    fn is_complete(&mut self, _event: u64) -> bool {
        // A command keeps its buffers alive, so no command uses a released block.
        true
    }

    fn wait(&mut self) -> bool {
        true
    }
}

/// The memory of a device's buffers.
pub(crate) struct HostMemory {
    pool: Mutex<Pool<Mapping>>,
    /// The number of guarded buffers and their total size in bytes; guarded buffers have separate pages.
    guarded: AtomicU64,
    guarded_bytes: AtomicU64,
}

impl HostMemory {
    /// Creates an empty pool that reserves at most `limit` bytes.
    pub fn new(limit: u64) -> Arc<Self> {
        let policy = PoolPolicy { keep: (limit / 8).min(MAX_KEPT), ..PoolPolicy::new(BUFFER_ALIGNMENT as u64, limit) };
        let (guarded, guarded_bytes) = Default::default();
        Arc::new(HostMemory { pool: Mutex::new(Pool::new(policy)), guarded, guarded_bytes })
    }

    fn pool(&self) -> MutexGuard<'_, Pool<Mapping>> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory usage, including guarded buffers.
    pub fn usage(&self) -> MemoryUsage {
        let mut usage = self.pool().usage();
        let bytes = self.guarded_bytes.load(Ordering::Relaxed);
        usage.allocations += self.guarded.load(Ordering::Relaxed);
        usage.used += bytes;
        usage.reserved += bytes;
        usage
    }

    /// Sets limits of the pool.
    pub fn limit(&self, limits: MemoryLimits) {
        let mut pool = self.pool();
        pool.limit(limits);
        pool.shrink(&mut Pages);
    }

    /// Returns free segments to the operating system.
    pub fn cleanup(&self) {
        self.pool().trim(&mut Pages);
    }
}

/// One buffer. The bytes of a buffer are accessible only through its lock.
pub(crate) struct Allocation {
    memory: Arc<HostMemory>,
    /// The address of the buffer, which changes only while the exclusive lock is held.
    bytes: AtomicPtr<u8>,
    size: usize,
    owner: Mutex<Owner>,
    lock: RwLock<()>,
    pub tracking: Tracking,
}

enum Owner {
    Pool(Option<Block>),
    Guarded(#[allow(dead_code)] Guarded),
    External(#[allow(dead_code)] external::Owner),
}

// SAFETY: the memory belongs to this value alone and does not depend on a thread.
unsafe impl Send for Allocation {}
// SAFETY: all access goes through `lock`: shared for reading, exclusive for writing.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Allocates a buffer of `bytes` bytes. With [`Init::Any`], the buffer contains zeros or bytes of earlier
    /// buffers.
    pub fn new(memory: &Arc<HostMemory>, bytes: u64, init: Init) -> Result<Self, RuntimeError> {
        let refused = |error: OutOfMemory<()>| error.error("the system", "");
        let mut pool = memory.pool();
        let block = pool.alloc(bytes, &mut Pages).map_err(refused)?;
        let (start, size) = (pool.segment(&block).start, pool.size(&block) as usize);
        drop(pool);
        // SAFETY: the pool gives offsets inside the mapping.
        let start = unsafe { start.add(block.offset as usize) };
        if init == Init::Zero && !block.zeroed {
            // SAFETY: the block is inside a live mapping, and no other allocation has a part of it.
            unsafe { clear(start, size) };
        }
        Ok(Allocation::of(memory, start, bytes as usize, Owner::Pool(Some(block))))
    }

    fn of(memory: &Arc<HostMemory>, bytes: NonNull<u8>, size: usize, owner: Owner) -> Self {
        let (bytes, owner) = (AtomicPtr::new(bytes.as_ptr()), Mutex::new(owner));
        let tracking = Tracking::default();
        Allocation { memory: memory.clone(), bytes, size, owner, lock: RwLock::new(()), tracking }
    }

    /// Makes a buffer from memory of another owner. The buffer begins up to [`BUFFER_ALIGNMENT`] bytes after the start of
    /// the allocation, so that its offset states the alignment of its address.
    pub fn import(memory: &Arc<HostMemory>, external: ExternalMemory) -> Result<Buffer, RuntimeError> {
        let (address, bytes, owner) = external.into_parts();
        let skipped = address % BUFFER_ALIGNMENT as u64;
        let size = bytes.checked_add(skipped).filter(|size| *size <= isize::MAX as u64);
        let start =
            NonNull::new(std::ptr::with_exposed_provenance_mut((address - skipped) as usize)).filter(|_| address != 0);
        let (Some(size), Some(start)) = (size, start) else {
            return Err(RuntimeError::user(format!(
                "{bytes} bytes at address {address:#x} are not memory of this process; pass the address of a live allocation"
            )));
        };
        let allocation = Allocation::of(memory, start, size as usize, Owner::External(owner));
        Buffer::new(Arc::new(allocation)).slice(skipped..size)
    }

    /// Whether the allocation keeps its address. A guarded buffer can get another address.
    pub fn is_fixed(&self) -> bool {
        !matches!(*self.owner.lock().unwrap_or_else(PoisonError::into_inner), Owner::Guarded(_))
    }

    /// Allocates a buffer between two inaccessible pages. The last byte of the buffer is directly before the second
    /// page. [`Allocation::align_to`] moves the buffer for a kernel that requires a larger alignment.
    pub fn guarded(memory: &Arc<HostMemory>, bytes: u64) -> Result<Self, RuntimeError> {
        let refused = || refused_guard(bytes);
        let size = usize::try_from(bytes).ok().filter(|size| *size < usize::MAX / 2).ok_or_else(refused)?;
        let pages = Guarded::new(size, 1).ok_or_else(refused)?;
        let bytes = NonNull::new(pages.start).ok_or_else(refused)?;
        memory.guarded.fetch_add(1, Ordering::Relaxed);
        memory.guarded_bytes.fetch_add(size as u64, Ordering::Relaxed);
        Ok(Allocation::of(memory, bytes, size, Owner::Guarded(pages)))
    }

    /// Aligns the start of the buffer to `align`, a power of two of at most a page. Only a guarded buffer can move.
    /// After the move, fewer than `align` bytes are between the end of the buffer and the guard page.
    pub fn align_to(&self, align: usize) -> Result<(), RuntimeError> {
        let aligned = || (self.bytes.load(Ordering::Relaxed) as usize).is_multiple_of(align);
        if aligned() {
            return Ok(());
        }
        let _guard = self.exclude();
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if aligned() || !matches!(*owner, Owner::Guarded(_)) {
            return Ok(());
        }
        let pages = Guarded::new(self.size, align).ok_or_else(|| refused_guard(self.size as u64))?;
        // SAFETY: both have `size` bytes, the new pages have no other user, and the guard keeps users of the old ones
        // out.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes.load(Ordering::Relaxed), pages.start, self.size) };
        self.bytes.store(pages.start, Ordering::Relaxed);
        *owner = Owner::Guarded(pages);
        Ok(())
    }

    /// Calls `use_bytes` with a range of the buffer's bytes, under the shared lock.
    pub fn read<R>(&self, range: Range<u64>, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let _guard = self.share();
        let length = self.length(&range);
        // SAFETY: the bytes of the range are initialised, and the guard keeps writers out while the slice lives.
        use_bytes(unsafe { std::slice::from_raw_parts(self.address(range.start), length) })
    }

    /// Calls `use_bytes` with a range of the buffer's bytes, under the exclusive lock.
    pub fn write<R>(&self, range: Range<u64>, use_bytes: impl FnOnce(&mut [u8]) -> R) -> R {
        let _guard = self.exclude();
        let length = self.length(&range);
        // SAFETY: as in `read`, and the guard keeps everybody else out.
        use_bytes(unsafe { std::slice::from_raw_parts_mut(self.address(range.start), length) })
    }

    /// The number of bytes of a range, which must be inside the allocation.
    fn length(&self, range: &Range<u64>) -> usize {
        assert!(range.start <= range.end && range.end <= self.size as u64, "a range outside of its allocation");
        (range.end - range.start) as usize
    }

    /// Copies bytes between two ranges of equal length. The ranges must not overlap.
    pub fn copy(from: &Allocation, start: u64, to: &Allocation, range: Range<u64>) {
        let same = std::ptr::eq(from, to);
        // Locks several allocations in the order of their addresses, as all code of this crate does.
        let first = !same && std::ptr::from_ref(from) < std::ptr::from_ref(to);
        let _before = first.then(|| from.share());
        let _target = to.exclude();
        let _after = (!same && !first).then(|| from.share());
        let (source, target) = (from.address(start), to.address(range.start));
        // SAFETY: the caller's ranges are inside the allocations and do not overlap, and the guards keep other users
        // out.
        unsafe { std::ptr::copy_nonoverlapping(source, target, (range.end - range.start) as usize) };
    }

    /// The address of a byte of the buffer, for a kernel that runs while the caller holds the lock.
    pub fn address(&self, offset: u64) -> *mut u8 {
        debug_assert!(offset <= self.size as u64);
        self.bytes.load(Ordering::Relaxed).wrapping_add(offset as usize)
    }

    /// Takes the shared lock of the buffer, which excludes writers.
    pub fn share(&self) -> RwLockReadGuard<'_, ()> {
        self.lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the exclusive lock of the buffer.
    pub fn exclude(&self) -> RwLockWriteGuard<'_, ()> {
        self.lock.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        match self.owner.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Owner::Pool(block) => {
                if let Some(block) = block.take() {
                    self.memory.pool().release(block, &mut Pages);
                }
            }
            Owner::External(_) => {}
            Owner::Guarded(_) => {
                self.memory.guarded.fetch_sub(1, Ordering::Relaxed);
                self.memory.guarded_bytes.fetch_sub(self.size as u64, Ordering::Relaxed);
            }
        }
    }
}

impl Storage for Allocation {
    fn size(&self) -> u64 {
        self.size as u64
    }
}

/// The allocation to which a CPU buffer refers.
#[inline]
pub(crate) fn own(buffer: &Buffer) -> Result<&Allocation, RuntimeError> {
    buffer.storage().ok_or_else(of_another_device)
}

/// The error of a use of another device's buffer.
#[cold]
pub(crate) fn of_another_device() -> RuntimeError {
    RuntimeError::user("the buffer belongs to another device; allocate it on the cpu device and copy the data")
}

/// A function that copies the bytes of `from` to `to`.
pub(crate) fn copy_of(from: &Buffer, to: &Buffer) -> impl FnOnce() -> Result<(), RuntimeError> + Send + 'static {
    let (source, target) = (from.clone(), to.clone());
    move || {
        let range = target.range_of(0, target.size())?;
        Allocation::copy(own(&source)?, source.offset(), own(&target)?, range);
        Ok(())
    }
}

/// The allocation of a buffer of the device whose memory is `memory`.
#[inline]
pub(crate) fn own_allocation<'a>(memory: &Arc<HostMemory>, buffer: &'a Buffer) -> Result<&'a Allocation, RuntimeError> {
    let allocation = own(buffer)?;
    if Arc::ptr_eq(&allocation.memory, memory) {
        return Ok(allocation);
    }
    // This buffer belongs to another device, and the ticks of its commands refer to the queues of that device.
    Err(RuntimeError::user(
        "the buffer belongs to another cpu device; allocate a buffer on this device and copy the data",
    ))
}

fn refused_guard(bytes: u64) -> RuntimeError {
    RuntimeError::device_limit(format!(
        "the system cannot allocate {bytes} bytes of guarded memory; use smaller buffers, or buffers without guards"
    ))
}

/// For memory of at least this size, the operating system provides zeroed pages at the next access, instead of a loop
/// that writes zeros.
#[cfg(target_os = "linux")]
const DISCARD: usize = 1 << 20;

/// Zeroes memory.
///
/// # Safety
/// The `size` bytes must belong to a mapping of anonymous private pages without other users.
unsafe fn clear(start: NonNull<u8>, size: usize) {
    #[cfg(target_os = "linux")]
    if size >= DISCARD && (start.as_ptr() as usize).is_multiple_of(1 << 16) && size.is_multiple_of(1 << 16) {
        // SAFETY: whole pages of the caller's memory. Their next access reads zeros (madvise(2)).
        if unsafe { libc::madvise(start.as_ptr().cast(), size, libc::MADV_DONTNEED) } == 0 {
            return;
        }
    }
    // SAFETY: the caller's memory.
    unsafe { start.write_bytes(0, size) };
}

/// A mapping whose first and last pages are inaccessible.
struct Guarded {
    map: *mut c_void,
    length: usize,
    /// The first byte of the buffer. The buffer ends directly before the last page, or as close to it as the
    /// alignment permits.
    start: *mut u8,
}

// SAFETY: the mapping belongs to this value alone and does not depend on a thread.
unsafe impl Send for Guarded {}

#[cfg(unix)]
impl Guarded {
    /// Creates a mapping for a buffer of `size` bytes. `align` is a power of two of at most a page.
    fn new(size: usize, align: usize) -> Option<Guarded> {
        // SAFETY: a query without side effects.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        if align > page {
            return None;
        }
        let inner = size.next_multiple_of(page);
        let length = inner.checked_add(2 * page)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new pages, at any address.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
        if map == libc::MAP_FAILED {
            return None;
        }
        let first = map.cast::<u8>().wrapping_add(page);
        let guarded = Guarded { map, length, start: first.wrapping_add((inner - size) & !(align - 1)) };
        // SAFETY: pages inside the mapping that was just made; an empty range changes nothing.
        let changed = unsafe { libc::mprotect(first.cast(), inner, libc::PROT_READ | libc::PROT_WRITE) };
        (changed == 0).then_some(guarded)
    }
}

#[cfg(unix)]
impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, unmapped once.
        unsafe { libc::munmap(self.map, self.length) };
    }
}

#[cfg(not(unix))]
impl Guarded {
    fn new(_: usize, _: usize) -> Option<Guarded> {
        None
    }
}

/// Size of this machine's memory in bytes; 1 TiB if the system does not report it.
pub(crate) fn machine_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    kibibytes.map_or(1 << 40, |k: u64| k * 1024)
}

/// A buffer for tests of other files.
#[cfg(test)]
pub(crate) fn buffer_of_8_bytes() -> Buffer {
    Buffer::new(Arc::new(Allocation::new(&HostMemory::new(1 << 20), 8, Init::Zero).expect("8 bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Arc<HostMemory> {
        HostMemory::new(1 << 40)
    }

    fn new(memory: &Arc<HostMemory>, bytes: u64) -> Allocation {
        Allocation::new(memory, bytes, Init::Zero).unwrap()
    }

    #[test]
    fn buffers_of_all_sizes_are_aligned_and_zero_also_in_used_memory() {
        let memory = memory();
        for _ in 0..3 {
            for size in [0, 1, 127, 4096, 256 << 10, (256 << 10) + 1, 4 << 20, (8 << 20) + 1, 11 << 20] {
                let buffer = new(&memory, size);
                assert_eq!(buffer.address(0) as usize % BUFFER_ALIGNMENT, 0, "{size}");
                assert!(buffer.read(0..size, |bytes| bytes.iter().all(|&b| b == 0)), "{size}");
                buffer.write(0..size, |bytes| bytes.fill(0xa5));
            }
        }
        let usage = memory.usage();
        assert!(usage.used == 0 && usage.reserved > 0, "{usage}");
        memory.cleanup();
        assert_eq!(memory.usage(), MemoryUsage::default());
    }

    #[test]
    fn free_large_buffers_are_kept_up_to_a_share_of_the_limit() {
        let memory = HostMemory::new(800 << 20);
        let buffers = [30 << 20, 60 << 20, 90 << 20].map(|bytes| new(&memory, bytes));
        assert_eq!(memory.usage().reserved, 180 << 20);
        drop(buffers);
        assert_eq!(memory.usage().reserved, 90 << 20);
    }

    #[cfg(unix)]
    #[test]
    fn guarded_buffers_end_at_an_inaccessible_page() {
        let full = |buffer: &Allocation, size| buffer.read(0..size, |bytes| bytes.iter().all(|&b| b == 7));
        let memory = memory();
        for size in [0, 1, 66, 128, 132, 4096, 5000, 1 << 20] {
            let buffer = Allocation::guarded(&memory, size).unwrap();
            assert_eq!((memory.usage().allocations, memory.usage().used), (1, size));
            assert_eq!(buffer.address(size) as usize % 4096, 0, "{size}");
            buffer.write(0..size, |bytes| bytes.fill(7));
            assert!(full(&buffer, size), "{size}");
            // If a kernel requires a larger alignment, the buffer moves. Its bytes are kept, and the gap before the
            // guard page is minimal.
            buffer.align_to(64).unwrap();
            assert_eq!(buffer.address(0) as usize % 64, 0, "{size}");
            let slack = (buffer.address(size) as usize).wrapping_neg() % 4096;
            assert_eq!((slack as u64, full(&buffer, size)), (size.wrapping_neg() % 64, true), "{size}");
        }
        assert!(Allocation::guarded(&memory, u64::MAX).is_err());
        assert_eq!(memory.usage(), MemoryUsage::default());
    }

    #[test]
    fn written_range_is_read_and_its_neighbours_are_unchanged() {
        let buffer = new(&memory(), 10);
        buffer.write(3..5, |bytes| bytes.copy_from_slice(&[7, 8]));
        buffer.read(2..6, |bytes| assert_eq!(bytes, [0, 7, 8, 0]));
    }

    #[test]
    fn allocation_beyond_the_address_space_is_a_typed_error() {
        for size in [1 << 62, u64::MAX / 2] {
            let memory = HostMemory::new(u64::MAX);
            let error = Allocation::new(&memory, size, Init::Any).err().expect("more than the address space");
            let words = format!("the system cannot allocate {size} bytes of memory (0 bytes used, 0 free, 0 reserved)");
            assert!(error.message.contains(&words), "{error}");
            assert_eq!(error.memory.as_deref(), Some(&MemoryUsage::default()));
        }
    }
}
