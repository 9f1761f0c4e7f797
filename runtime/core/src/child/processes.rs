//! The compiler processes of a [`ChildCompiler`](super::ChildCompiler), and the requests that wait for one.
use super::process::Process;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The largest number of processes that [`default_processes`] returns. Each process takes the memory of a compiler.
const MAX_DEFAULT: usize = 8;

/// The number of compiler processes without a setting: one per core, but at most 8.
pub fn default_processes() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_DEFAULT)
}

/// A limited number of compiler processes.
pub(super) struct Processes {
    pub limit: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Process>,
    /// Number of [`Slot`]s.
    busy: usize,
}

/// The exclusive use of one compiler process by one request. When a slot is dropped, its process stays available for
/// later requests.
pub(super) struct Slot<'a> {
    pool: &'a Processes,
    pub process: Option<Process>,
}

impl Processes {
    pub fn new(limit: usize) -> Self {
        Processes { limit, state: Mutex::default(), freed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Both fields are valid even if another thread panicked while it held the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until fewer than `limit` slots exist, and returns a new slot. The slot gets the most recently used process
    /// that still runs. A program that compiles one kernel at a time therefore uses only one process.
    pub fn slot(&self) -> Slot<'_> {
        let mut state = self.state();
        while state.busy >= self.limit {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy += 1;
        let mut process = state.idle.pop();
        while process.as_mut().is_some_and(|process| !process.is_alive()) {
            process = state.idle.pop();
        }
        Slot { pool: self, process }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.busy -= 1;
        state.idle.extend(self.process.take());
        self.pool.freed.notify_one();
    }
}
