//! Queued commands and failures of an allocation.
use cube_runtime::RuntimeError;
use cube_runtime::queue::{Queue, Ticks, Uses};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Queued commands and failures of an allocation.
#[derive(Default)]
pub(crate) struct Tracking {
    uses: Mutex<Uses>,
    /// Commands that are queued or that execute.
    queued: AtomicU32,
    failed: AtomicBool,
    failure: Mutex<Option<RuntimeError>>,
}

impl Tracking {
    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure_slot(&self) -> MutexGuard<'_, Option<RuntimeError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no queued command uses the allocation.
    pub fn is_idle(&self) -> bool {
        self.queued.load(Ordering::Acquire) == 0
    }

    /// The condition of a read or of a write.
    pub fn before(&self, writes: bool) -> Ticks {
        self.uses().before(writes)
    }

    /// Adds a queued command.
    pub fn begin(&self, queue: Queue, tick: u64, writes: bool) {
        self.uses().record(queue, tick, writes);
        self.queued.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a queued command. If another thread then finds the allocation idle, it sees the effects of the command.
    pub fn end(&self) {
        self.queued.fetch_sub(1, Ordering::Release);
    }

    /// The failure of the last command that wrote the allocation.
    pub fn failure(&self) -> Option<RuntimeError> {
        if self.failed.load(Ordering::Acquire) { self.failure_slot().clone() } else { None }
    }

    /// Records the failure of a write.
    pub fn fail(&self, error: &RuntimeError) {
        *self.failure_slot() = Some(error.clone());
        self.failed.store(true, Ordering::Release);
    }

    /// Records a successful write.
    pub fn succeed(&self) {
        if self.failed.swap(false, Ordering::AcqRel) {
            *self.failure_slot() = None;
        }
    }
}
