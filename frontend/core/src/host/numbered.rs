//! The numbers of the kernels of a device. A launch that repeats an earlier one finds its kernel by the number, without a lock
//! and without a change of a reference count.
use super::core::LoadedKernel;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Number of kernels in a part of the list, and maximum number of parts. Later kernels have no number.
const PART: usize = 64;

type Part = Box<[OnceLock<Arc<LoadedKernel>>]>;

/// The first kernels of a device, which exist for as long as the device.
pub(super) struct Numbered {
    next: AtomicU32,
    parts: [OnceLock<Part>; PART],
}

impl Default for Numbered {
    fn default() -> Self {
        Numbered { next: AtomicU32::new(0), parts: [const { OnceLock::new() }; PART] }
    }
}

impl Numbered {
    /// Gives a number to a kernel.
    pub fn add(&self, loaded: &Arc<LoadedKernel>) {
        let next = |number| (number < (PART * PART) as u32 && loaded.number.get().is_none()).then_some(number + 1);
        let Ok(number) = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) else { return };
        let part = self.parts[number as usize / PART].get_or_init(|| (0..PART).map(|_| OnceLock::new()).collect());
        let _ = part[number as usize % PART].set(loaded.clone());
        let _ = loaded.number.set(number);
    }

    /// The kernel with a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Arc<LoadedKernel>> {
        self.parts.get(number as usize / PART)?.get()?.get(number as usize % PART)?.get()
    }
}
