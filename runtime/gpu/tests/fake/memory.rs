//! Memory of the simulated device, which is memory of the process.
use std::alloc::{Layout, alloc_zeroed, dealloc};

pub fn copy(from: u64, to: u64, bytes: usize) {
    // SAFETY: the test's device gives ranges of live memory, or the test fails.
    unsafe { std::ptr::copy_nonoverlapping(from as usize as *const u8, to as usize as *mut u8, bytes) };
}

/// Reserves memory that is zero, and returns its address.
pub fn reserve(bytes: u64) -> u64 {
    // SAFETY: the size is not zero.
    unsafe { alloc_zeroed(layout(bytes)) as usize as u64 }
}

fn layout(bytes: u64) -> Layout {
    Layout::from_size_align(bytes.max(1) as usize, 256).expect("a size")
}

pub fn release(start: u64, bytes: u64) {
    // SAFETY: from `alloc_zeroed` with this layout, freed once.
    unsafe { dealloc(start as usize as *mut u8, layout(bytes)) };
}
