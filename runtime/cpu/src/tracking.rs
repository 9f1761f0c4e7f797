//! The queued commands that use an allocation, and the failure of a command that wrote it.
use crate::sync::{AtomicBool, AtomicU32, Mutex, MutexGuard, Ordering, PoisonError};
use cube_runtime::RuntimeError;
use cube_runtime::queue::{Queue, Ticks, Uses};

/// The queued commands that use an allocation, and the failure of a command that wrote it.
#[derive(Default)]
pub(crate) struct Tracking {
    uses: Mutex<Uses>,
    /// Number of commands on the allocation that are queued or executing.
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

    /// The condition that must hold before a read or a write of the allocation can start.
    pub fn before(&self, writes: bool) -> Ticks {
        self.uses().before(writes)
    }

    /// Adds a queued command that uses the allocation, and returns the condition that must hold before the command can
    /// start.
    pub fn begin(&self, queue: Queue, tick: u64, writes: bool) -> Ticks {
        let mut uses = self.uses();
        let condition = uses.before(writes);
        uses.record(queue, tick, writes);
        self.queued.fetch_add(1, Ordering::Relaxed);
        condition
    }

    /// [`Tracking::begin`] on a device whose commands all belong to `queue`, so that they are in order without a condition.
    pub fn begin_in_order(&self, queue: Queue, tick: u64, writes: bool) {
        self.uses().record(queue, tick, writes);
        self.queued.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a command that has completed. A thread that finds the allocation idle after this call sees the
    /// effects of the completed command.
    pub fn end(&self) {
        self.queued.fetch_sub(1, Ordering::Release);
    }

    /// The failure of the last command that wrote the allocation, if it failed.
    pub fn failure(&self) -> Option<RuntimeError> {
        if self.failed.load(Ordering::Acquire) { self.failure_slot().clone() } else { None }
    }

    /// Records that a write of the allocation failed.
    pub fn fail(&self, error: &RuntimeError) {
        *self.failure_slot() = Some(error.clone());
        self.failed.store(true, Ordering::Release);
    }

    /// Records that a write of the allocation succeeded.
    pub fn succeed(&self) {
        // The load comes first, because a successful write usually follows a successful write.
        if self.failed.load(Ordering::Acquire) && self.failed.swap(false, Ordering::AcqRel) {
            *self.failure_slot() = None;
        }
    }
}
