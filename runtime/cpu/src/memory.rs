//! Buffers in host memory.
//!
//! Small ones come from the allocator, large ones are pages of their own: zeroed by the system when first touched, by the
//! thread that touches them, so that allocating a gigabyte costs microseconds.
use cube_runtime::RuntimeError;
use cube_runtime::buffer::Storage;
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Buffers begin at multiples of this: two cache lines, as the adjacent-line prefetcher fetches them.
pub(crate) const BUFFER_ALIGNMENT: usize = 128;

/// From this size on a buffer has pages of its own.
const OWN_PAGES: usize = 256 << 10;

/// From this size on huge pages are asked for: two of x86-64's.
const HUGE_PAGES: usize = 4 << 20;

/// One buffer; its bytes are only reached through its lock.
pub(crate) struct Allocation {
    /// Changes only under the exclusive lock.
    bytes: AtomicPtr<u8>,
    size: usize,
    owner: Mutex<Owner>,
    lock: RwLock<()>,
}

enum Owner {
    Allocator(Layout),
    // Frees the pages when dropped.
    Pages(#[allow(dead_code)] MmapMut),
    Guarded(#[allow(dead_code)] Guarded),
    Nobody,
}

// SAFETY: the memory belongs to this value alone and does not depend on a thread.
unsafe impl Send for Allocation {}
// SAFETY: all access goes through `lock`: shared for reading, exclusive for writing.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Zeroed whatever the caller asks for: clearing 256 KiB at most costs little, and pages come cleared.
    pub fn new(bytes: u64) -> Result<Self, RuntimeError> {
        let refused = || {
            RuntimeError::device_limit(format!(
                "the system gives no {bytes} bytes of memory: free some buffers or use smaller ones"
            ))
        };
        let size = usize::try_from(bytes).map_err(|_| refused())?;
        if size == 0 {
            // Aligned and not null, as every buffer.
            let bytes = NonNull::new(std::ptr::without_provenance_mut(BUFFER_ALIGNMENT)).ok_or_else(refused)?;
            return Ok(Allocation::of(bytes, size, Owner::Nobody));
        }
        if size >= OWN_PAGES {
            let mut pages = MmapMut::map_anon(size).map_err(|_| refused())?;
            #[cfg(target_os = "linux")]
            if size >= HUGE_PAGES {
                // A wish: a system without huge pages gives small ones.
                let _ = pages.advise(memmap2::Advice::HugePage);
            }
            let bytes = NonNull::new(pages.as_mut_ptr()).ok_or_else(refused)?;
            return Ok(Allocation::of(bytes, size, Owner::Pages(pages)));
        }
        let layout = Layout::from_size_align(size, BUFFER_ALIGNMENT).map_err(|_| refused())?;
        // SAFETY: the layout's size is not zero.
        let bytes = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        Ok(Allocation::of(bytes, size, Owner::Allocator(layout)))
    }

    fn of(bytes: NonNull<u8>, size: usize, owner: Owner) -> Self {
        Allocation { bytes: AtomicPtr::new(bytes.as_ptr()), size, owner: Mutex::new(owner), lock: RwLock::new(()) }
    }

    /// The same between two pages that nobody may touch. The last byte stands right before the second one, so that the buffer
    /// begins wherever its size puts it; [`Allocation::align_to`] moves it for a kernel that needs more.
    pub fn guarded(bytes: u64) -> Result<Self, RuntimeError> {
        let refused = || refused_guard(bytes);
        let size = usize::try_from(bytes).ok().filter(|size| *size < usize::MAX / 2).ok_or_else(refused)?;
        let pages = Guarded::new(size, 1).ok_or_else(refused)?;
        let bytes = NonNull::new(pages.start).ok_or_else(refused)?;
        Ok(Allocation::of(bytes, size, Owner::Guarded(pages)))
    }

    /// Makes the buffer begin at a multiple of `align`, a power of two of at most a page. Only a guarded one ever moves: fewer
    /// than `align` bytes then lie between its end and the guard page.
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
        // SAFETY: both have `size` bytes, the new pages belong to nobody else, and the guard keeps users of the old ones out.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes.load(Ordering::Relaxed), pages.start, self.size) };
        self.bytes.store(pages.start, Ordering::Relaxed);
        *owner = Owner::Guarded(pages);
        Ok(())
    }

    /// Calls `use_bytes` with a range of the bytes while nobody writes.
    pub fn read<R>(&self, range: Range<u64>, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let _guard = self.share();
        // SAFETY: all `size` bytes are initialised, and the guard keeps writers out while the slice lives.
        let bytes = unsafe { std::slice::from_raw_parts(self.bytes.load(Ordering::Relaxed), self.size) };
        use_bytes(&bytes[range.start as usize..range.end as usize])
    }

    /// Calls `use_bytes` with a range of the bytes while nobody else reads or writes.
    pub fn write<R>(&self, range: Range<u64>, use_bytes: impl FnOnce(&mut [u8]) -> R) -> R {
        let _guard = self.exclude();
        // SAFETY: as in `read`, and the guard keeps everybody else out.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.bytes.load(Ordering::Relaxed), self.size) };
        use_bytes(&mut bytes[range.start as usize..range.end as usize])
    }

    /// The address of a byte, for a kernel that runs while the caller holds the lock.
    pub fn address(&self, offset: u64) -> *mut u8 {
        debug_assert!(offset <= self.size as u64);
        self.bytes.load(Ordering::Relaxed).wrapping_add(offset as usize)
    }

    /// Keeps writers out.
    pub fn share(&self) -> RwLockReadGuard<'_, ()> {
        self.lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps everybody else out.
    pub fn exclude(&self) -> RwLockWriteGuard<'_, ()> {
        self.lock.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let owner = self.owner.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Owner::Allocator(layout) = *owner {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(*self.bytes.get_mut(), layout) }
        }
    }
}

impl Storage for Allocation {
    fn size(&self) -> u64 {
        self.size as u64
    }
}

fn refused_guard(bytes: u64) -> RuntimeError {
    RuntimeError::device_limit(format!(
        "the system gives no {bytes} bytes of guarded memory: use smaller buffers, or none with guards"
    ))
}

/// Pages of which the first and the last may not be touched.
struct Guarded {
    map: *mut c_void,
    length: usize,
    /// Where the bytes begin that end at the last page, or as near to it as the alignment lets them.
    start: *mut u8,
}

// SAFETY: the mapping belongs to this value alone and does not depend on a thread.
unsafe impl Send for Guarded {}

#[cfg(unix)]
impl Guarded {
    /// `align` is a power of two of at most a page.
    fn new(size: usize, align: usize) -> Option<Guarded> {
        // SAFETY: a question without arguments that matter.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        if align > page {
            return None;
        }
        let inner = size.next_multiple_of(page);
        let length = inner.checked_add(2 * page)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new pages, wherever the system wants them.
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

/// Bytes of memory of this machine; a guess of 1 TiB where the system does not say.
pub(crate) fn machine_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    kibibytes.map_or(1 << 40, |k: u64| k * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_all_sizes_are_aligned_and_zero() {
        for size in [0, 1, 127, 4096, OWN_PAGES - 1, OWN_PAGES, HUGE_PAGES + 1] {
            let buffer = Allocation::new(size as u64).unwrap();
            assert_eq!(buffer.address(0) as usize % BUFFER_ALIGNMENT, 0, "{size}");
            assert!(buffer.read(0..size as u64, |bytes| bytes.iter().all(|&b| b == 0)), "{size}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn guarded_buffers_end_where_nobody_may_go() {
        let full = |buffer: &Allocation, size| buffer.read(0..size, |bytes| bytes.iter().all(|&b| b == 7));
        for size in [0, 1, 66, 128, 132, 4096, 5000, 1 << 20] {
            let buffer = Allocation::guarded(size).unwrap();
            assert_eq!(buffer.address(size) as usize % 4096, 0, "{size}");
            buffer.write(0..size, |bytes| bytes.fill(7));
            assert!(full(&buffer, size), "{size}");
            // A kernel that needs more gets it, with its bytes and the least slack.
            buffer.align_to(64).unwrap();
            assert_eq!(buffer.address(0) as usize % 64, 0, "{size}");
            let slack = (buffer.address(size) as usize).wrapping_neg() % 4096;
            assert_eq!((slack as u64, full(&buffer, size)), (size.wrapping_neg() % 64, true), "{size}");
        }
        assert!(Allocation::guarded(u64::MAX).is_err());
    }

    #[test]
    fn a_range_written_is_read_and_its_neighbours_stay() {
        let buffer = Allocation::new(10).unwrap();
        buffer.write(3..5, |bytes| bytes.copy_from_slice(&[7, 8]));
        buffer.read(2..6, |bytes| assert_eq!(bytes, [0, 7, 8, 0]));
    }

    #[test]
    fn more_than_the_address_space_is_a_typed_error() {
        for size in [1 << 62, u64::MAX] {
            let error = Allocation::new(size).err().expect("nobody has that much");
            assert!(error.message.contains(&format!("no {size} bytes of memory")), "{error}");
        }
    }
}
