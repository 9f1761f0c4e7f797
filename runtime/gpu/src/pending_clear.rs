//! Whether an allocation must be cleared before its first command.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of buffers of one launch that stay without clearing.
const MAX_HELD: usize = 4;

/// Whether an allocation must be cleared before its next command.
#[derive(Default)]
pub(crate) struct PendingClear {
    /// Changes from `true` to `false` once, under the lock of `order`.
    pending: AtomicBool,
    /// Held while the first command is submitted, so that no other command precedes it.
    order: Mutex<()>,
}

impl PendingClear {
    pub fn new(pending: bool) -> Self {
        PendingClear { pending: AtomicBool::new(pending), order: Mutex::default() }
    }

    #[inline]
    pub fn is_pending(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }

    /// Runs `clear` if clearing is pending. No other command of the allocation is submitted meanwhile.
    pub fn clear<E>(&self, clear: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        if !self.is_pending() {
            return Ok(());
        }
        let _first = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_pending() {
            clear()?;
            self.pending.store(false, Ordering::Release);
        }
        Ok(())
    }
}

/// The allocations that a launch overwrites. No other command uses them until this value is dropped.
#[derive(Default)]
pub(crate) struct Overwritten<'a>([Option<(&'a PendingClear, MutexGuard<'a, ()>)>; MAX_HELD]);

impl<'a> Overwritten<'a> {
    /// Adds an allocation. Returns `false` if another thread submits a command for it, or if the array is full.
    pub fn add(&mut self, clearing: &'a PendingClear) -> bool {
        let Some(slot) = self.0.iter_mut().find(|slot| slot.is_none()) else { return false };
        match clearing.order.try_lock() {
            // Another thread can have cleared the allocation in the meantime.
            Ok(guard) => _ = slot.insert((clearing, guard)),
            Err(_) => return false,
        }
        true
    }

    /// States that the launch is submitted.
    pub fn are_written(self) {
        for (clearing, _guard) in self.0.into_iter().flatten() {
            clearing.pending.store(false, Ordering::Release);
        }
    }
}
