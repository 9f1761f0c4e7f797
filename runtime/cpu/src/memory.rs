//! Buffers in host memory.
//!
//! Small ones come from the allocator, large ones are pages of their own: zeroed by the system when first touched, by the
//! thread that touches them, so that allocating a gigabyte costs microseconds.
use cube_runtime::RuntimeError;
use cube_runtime::buffer::Storage;
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Buffers begin at multiples of this: two cache lines, as the adjacent-line prefetcher fetches them.
pub(crate) const BUFFER_ALIGNMENT: usize = 128;

/// From this size on a buffer has pages of its own.
const OWN_PAGES: usize = 256 << 10;

/// From this size on huge pages are asked for: two of x86-64's.
const HUGE_PAGES: usize = 4 << 20;

/// One buffer; its bytes are only reached through its lock.
pub(crate) struct Allocation {
    bytes: NonNull<u8>,
    size: usize,
    owner: Owner,
    lock: RwLock<()>,
}

enum Owner {
    Allocator(Layout),
    // Frees the pages when dropped.
    Pages(#[allow(dead_code)] MmapMut),
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
        let lock = RwLock::new(());
        if size == 0 {
            // Aligned and not null, as every buffer.
            let bytes = NonNull::new(std::ptr::without_provenance_mut(BUFFER_ALIGNMENT)).ok_or_else(refused)?;
            return Ok(Allocation { bytes, size, owner: Owner::Nobody, lock });
        }
        if size >= OWN_PAGES {
            let mut pages = MmapMut::map_anon(size).map_err(|_| refused())?;
            #[cfg(target_os = "linux")]
            if size >= HUGE_PAGES {
                // A wish: a system without huge pages gives small ones.
                let _ = pages.advise(memmap2::Advice::HugePage);
            }
            let bytes = NonNull::new(pages.as_mut_ptr()).ok_or_else(refused)?;
            return Ok(Allocation { bytes, size, owner: Owner::Pages(pages), lock });
        }
        let layout = Layout::from_size_align(size, BUFFER_ALIGNMENT).map_err(|_| refused())?;
        // SAFETY: the layout's size is not zero.
        let bytes = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        Ok(Allocation { bytes, size, owner: Owner::Allocator(layout), lock })
    }

    /// Calls `use_bytes` with a range of the bytes while nobody writes.
    pub fn read<R>(&self, range: Range<u64>, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let _guard = self.share();
        // SAFETY: all `size` bytes are initialised, and the guard keeps writers out while the slice lives.
        let bytes = unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.size) };
        use_bytes(&bytes[range.start as usize..range.end as usize])
    }

    /// Calls `use_bytes` with a range of the bytes while nobody else reads or writes.
    pub fn write<R>(&self, range: Range<u64>, use_bytes: impl FnOnce(&mut [u8]) -> R) -> R {
        let _guard = self.exclude();
        // SAFETY: as in `read`, and the guard keeps everybody else out.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.size) };
        use_bytes(&mut bytes[range.start as usize..range.end as usize])
    }

    /// The address of a byte, for a kernel that runs while the caller holds the lock.
    pub fn address(&self, offset: u64) -> *mut u8 {
        debug_assert!(offset <= self.size as u64);
        self.bytes.as_ptr().wrapping_add(offset as usize)
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
        if let Owner::Allocator(layout) = self.owner {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.bytes.as_ptr(), layout) }
        }
    }
}

impl Storage for Allocation {
    fn size(&self) -> u64 {
        self.size as u64
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
