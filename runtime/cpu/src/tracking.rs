//! The queued commands that use an allocation, and the failure of a command that wrote it.
//!
//! Only the thread that submits a command stores ticks, and it holds the lock of the queues. All other methods take no lock: a
//! thread that compares the ticks with the completed commands needs neither the line of a lock nor a count that the threads of the
//! queues would change.
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, PoisonError};
use cube_runtime::RuntimeError;
use cube_runtime::queue::{MAX_QUEUES, Queue, Ticks};

/// The queued commands that use an allocation, and the failure of a command that wrote it.
#[derive(Default)]
pub(crate) struct Tracking {
    /// The queues of `used` that have a tick, as a bit mask.
    queues: AtomicU32,
    failed: AtomicBool,
    /// The last command that writes the allocation: its tick times [`MAX_QUEUES`], plus the number of its queue. 0 for none.
    written: AtomicU64,
    /// For each queue, the tick of its last command that uses the allocation. A command that writes waits for all earlier uses,
    /// so ticks of earlier uses remain correct after a write, and no tick is removed.
    used: [AtomicU64; MAX_QUEUES],
    failure: Mutex<Option<RuntimeError>>,
}

impl Tracking {
    fn failure_slot(&self) -> MutexGuard<'_, Option<RuntimeError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queues that used the allocation, with the tick of the last use.
    #[inline]
    fn uses(&self) -> impl Iterator<Item = (Queue, u64)> {
        let mut queues = self.queues.load(Ordering::Acquire);
        std::iter::from_fn(move || {
            let queue = Queue::new((queues != 0).then(|| queues.trailing_zeros())?);
            queues &= queues - 1;
            Some((queue, self.used[queue.index()].load(Ordering::Acquire)))
        })
    }

    /// Whether no queued command uses the allocation. `completed` has the tick of the last completed command of each queue. If the
    /// result is true, this thread sees the effects of the commands that used the allocation.
    #[inline]
    pub fn is_idle(&self, completed: &[AtomicU64; MAX_QUEUES]) -> bool {
        self.uses().all(|(queue, tick)| completed[queue.index()].load(Ordering::Acquire) >= tick)
    }

    /// The condition that must hold before a read or a write of the allocation can start.
    pub fn before(&self, writes: bool) -> Ticks {
        let mut ticks = Ticks::default();
        if writes {
            self.uses().for_each(|(queue, tick)| ticks.set(queue, tick));
            return ticks;
        }
        let (written, queues) = (self.written.load(Ordering::Acquire), MAX_QUEUES as u64);
        ticks.set(Queue::new((written % queues) as u32), written / queues);
        ticks
    }

    /// Adds a queued command that uses the allocation. The caller holds the lock of the queues, and has read [`Tracking::before`] if
    /// commands of several queues exist.
    #[inline]
    pub fn begin(&self, queue: Queue, tick: u64, writes: bool) {
        self.used[queue.index()].store(tick, Ordering::Release);
        if writes {
            self.written.store(tick * MAX_QUEUES as u64 + queue.index() as u64, Ordering::Release);
        }
        let queues = self.queues.load(Ordering::Relaxed);
        if queues & 1 << queue.index() == 0 {
            self.queues.store(queues | 1 << queue.index(), Ordering::Release);
        }
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
    #[inline]
    pub fn succeed(&self) {
        // The load comes first, because a successful write usually follows a successful write.
        if self.failed.load(Ordering::Acquire) && self.failed.swap(false, Ordering::AcqRel) {
            *self.failure_slot() = None;
        }
    }
}
