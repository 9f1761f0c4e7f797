//! Copies between host and device that have not completed, with their host memory.
use crate::context::Contexts;
use crate::driver::{Driver, DriverResult, EventHandle, Stream};
use crate::engine::Engine;
use crate::memory::own;
use cube_runtime::transfer::Promise;
use cube_runtime::{Buffer, HostBytes, RuntimeError};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of unused events in the cache.
const MAX_EVENTS: usize = 64;

/// A read of device memory that has not completed.
pub(crate) struct PendingRead {
    pub generation: u64,
    pub event: EventHandle,
    pub bytes: HostBytes,
    pub promise: Promise<HostBytes>,
    /// The buffer that the read reads, if another device wrote it.
    pub buffer: Option<Buffer>,
}

/// The host memory of a copy. For a copy between two devices, the other device also has a reference to this memory.
pub(crate) enum CopyBytes {
    Own(#[allow(dead_code, reason = "the memory is kept until its drop")] HostBytes),
    Shared(#[allow(dead_code, reason = "as above")] Arc<HostBytes>),
}

impl From<HostBytes> for CopyBytes {
    fn from(bytes: HostBytes) -> CopyBytes {
        CopyBytes::Own(bytes)
    }
}

/// Copies that have not completed.
pub(crate) struct PendingCopies {
    state: Mutex<State>,
    /// The number of stored writes. A wait for the device without stored writes takes no lock.
    stored: AtomicUsize,
}

#[derive(Default)]
struct State {
    generation: u64,
    /// Writes to device memory, each with the event that follows it.
    writes: VecDeque<(EventHandle, CopyBytes)>,
    /// The number of the first write in `writes`. The first write of the device has the number 0.
    first: u64,
    unused: Vec<EventHandle>,
    /// The thread that waits for reads.
    reads: Option<Sender<PendingRead>>,
}

impl State {
    /// The number that the next stored write gets.
    fn next(&self) -> u64 {
        self.first + self.writes.len() as u64
    }

    /// Removes the writes with a number below `next`.
    fn take_before(&mut self, next: u64) -> Vec<(EventHandle, CopyBytes)> {
        let done = next.saturating_sub(self.first).min(self.writes.len() as u64);
        self.first += done;
        self.writes.drain(..done as usize).collect()
    }

    /// Stores the events of completed writes for reuse. Returns the events that exceed the limit of the
    /// cache.
    fn reuse(&mut self, done: &[(EventHandle, CopyBytes)]) -> Vec<EventHandle> {
        let kept = done.len().min(MAX_EVENTS.saturating_sub(self.unused.len()));
        let mut events = done.iter().map(|(event, _)| *event);
        self.unused.extend(events.by_ref().take(kept));
        events.collect()
    }
}

impl PendingCopies {
    pub fn new() -> Self {
        PendingCopies { state: Mutex::default(), stored: AtomicUsize::new(0) }
    }

    /// The state of the copies in a context. The end of a context also ends its copies.
    fn of(&self, generation: u64) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.generation != generation {
            state.generation = generation;
            state.first += state.writes.len() as u64;
            state.writes.clear();
            state.unused.clear();
            self.count(&state);
        }
        state
    }

    /// Updates the number of stored writes.
    fn count(&self, state: &State) {
        self.stored.store(state.writes.len(), Ordering::Relaxed);
    }

    /// An event at the current end of a stream.
    pub fn record_event<D: Driver>(
        &self,
        engine: &Engine<D>,
        generation: u64,
        stream: Stream,
    ) -> DriverResult<EventHandle> {
        let unused = self.of(generation).unused.pop();
        let event = unused.map_or_else(|| engine.create_event(false), Ok)?;
        engine.record(event, stream).map(|()| event)
    }

    /// Whether the bytes of a write are stored because the write has possibly not completed.
    pub fn any(&self) -> bool {
        self.stored.load(Ordering::Relaxed) != 0
    }

    /// Stores the bytes of a write until the event of the write has completed. The method also drops the
    /// bytes of completed writes.
    pub fn keep<D: Driver>(
        &self,
        engine: &Engine<D>,
        generation: u64,
        event: EventHandle,
        bytes: impl Into<CopyBytes>,
    ) {
        let mut done = Vec::new();
        let mut state = self.of(generation);
        state.writes.push_back((event, bytes.into()));
        // The writes of several queues complete in any order. A later call handles the writes that have not completed.
        while let Some((event, _)) = state.writes.front()
            && engine.is_complete(*event).unwrap_or(false)
        {
            done.extend(state.writes.pop_front());
            state.first += 1;
        }
        self.count(&state);
        let surplus = state.reuse(&done);
        drop(state);
        surplus.into_iter().for_each(|event| engine.free_event(event));
    }

    /// The number that the next stored write gets; `None` if no write is stored. If a wait for the device starts after this
    /// call, the wait covers every write whose number is smaller than the returned number.
    pub fn next(&self, generation: u64) -> Option<u64> {
        self.any().then(|| self.of(generation).next())
    }

    /// Drops the bytes of the writes with a number below `next`, after a wait for the device. Other threads can add
    /// writes during the wait, and these writes stay stored. For `None`, no write was stored before the wait.
    pub fn drop_completed<D: Driver>(&self, engine: &Engine<D>, generation: u64, next: Option<u64>) {
        let Some(next) = next else { return };
        let mut state = self.of(generation);
        let writes = state.take_before(next);
        self.count(&state);
        let surplus = state.reuse(&writes);
        drop(state);
        surplus.into_iter().for_each(|event| engine.free_event(event));
        drop(writes);
    }

    /// Passes a read to the thread that waits for reads.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn complete_later<D: Driver>(
        &self,
        contexts: &Arc<Contexts<D>>,
        read: PendingRead,
    ) -> Result<(), RuntimeError> {
        let mut state = self.of(read.generation);
        if state.reads.is_none() {
            let (sender, receiver) = channel::<PendingRead>();
            let thread = std::thread::Builder::new().name("cube-gpu-reads".into());
            let wait = {
                let contexts = contexts.clone();
                move || receiver.into_iter().for_each(|read| complete_later(&contexts, read))
            };
            if let Err(error) = thread.spawn(wait) {
                drop(state);
                // The copy is running, and its memory belongs to the read.
                complete_later(contexts, read);
                return Err(RuntimeError::device_limit(format!(
                    "the system cannot start a thread for reads ({error}); end some threads"
                )));
            }
            state.reads = Some(sender);
        }
        if let Some(reads) = &state.reads {
            // The thread that waits for reads exists until the sender is dropped, so the send cannot fail.
            let _ = reads.send(read);
        }
        Ok(())
    }
}

fn complete_later<D: Driver>(contexts: &Arc<Contexts<D>>, read: PendingRead) {
    let PendingRead { generation, event, bytes, promise, buffer } = read;
    let mut has_ended = false;
    let done = wait_for(contexts, generation, event, &mut has_ended);
    if !has_ended {
        // The driver refused a call before the wait, so the copy can still be running.
        let _ = wait_for(contexts, generation, event, &mut has_ended);
    }
    let done = done.and_then(|()| match &buffer {
        Some(buffer) => own(buffer, contexts)?.check_source(),
        None => Ok(()),
    });
    drop(buffer);
    promise.complete(match done {
        Ok(()) => Ok(bytes),
        Err(error) => {
            if !has_ended {
                // The copy can write to this memory at any time, so the memory is never used again.
                std::mem::forget(bytes);
            }
            Err(error)
        }
    });
}

// Waits for the event of a copy. `has_ended` becomes true if the copy has ended.
fn wait_for<D: Driver>(
    contexts: &Arc<Contexts<D>>,
    generation: u64,
    event: EventHandle,
    has_ended: &mut bool,
) -> Result<(), RuntimeError> {
    contexts.call(|entered| {
        if entered.generation() != generation {
            *has_ended = true;
            return Err(contexts.lost(generation).into());
        }
        let done = entered.engine().sync_event(event);
        // If the driver refuses the wait for the event, this call waits for the device.
        *has_ended = done.is_ok() || entered.engine().sync().is_ok();
        entered.engine().free_event(event);
        Ok(done?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(state: &mut State, number: u64) {
        state.writes.push_back((EventHandle(number), HostBytes::from(vec![number as u8]).into()));
    }

    fn numbers(writes: &[(EventHandle, CopyBytes)]) -> Vec<u64> {
        writes.iter().map(|(event, _)| event.0).collect()
    }

    #[test]
    fn wait_releases_only_the_preceding_writes() {
        let mut state = State::default();
        (0..3).for_each(|number| write(&mut state, number));
        let next = state.next();
        // Another thread writes during the wait.
        write(&mut state, 3);
        assert_eq!(numbers(&state.take_before(next)), [0, 1, 2]);
        // If an earlier wait ends later than this one, it finds no writes to release.
        assert!(state.take_before(next).is_empty());
        assert_eq!((numbers(state.writes.make_contiguous()), state.next()), (vec![3], 4));
    }

    #[test]
    fn events_above_the_limit_are_not_kept() {
        let mut state = State::default();
        (0..100).for_each(|number| write(&mut state, number));
        let done = state.take_before(100);
        assert_eq!(state.reuse(&done).len(), 100 - MAX_EVENTS);
        assert_eq!(state.unused.len(), MAX_EVENTS);
    }
}
