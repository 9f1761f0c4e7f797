//! The streams of a context, one for each queue, and the waits between streams.
//!
//! While a program uses only the default queue, [`Streams::submit`] calls the driver under a shared lock. Before the
//! first use of another queue, `submit` locks this lock once for exclusive access. From then on, an exclusive lock
//! orders the submissions of all queues. The order is necessary, because a wait covers only the commands that were
//! submitted before the wait.
use crate::driver::{Driver, DriverResult, EventHandle, Stream};
use crate::engine::Engine;
use crate::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use cube_runtime::Queue;
use cube_runtime::queue::{MAX_QUEUES, Order, Ticks, Uses};

/// The stream that records graphs, with the generation number of the stream's context.
pub(crate) type Recorder = Mutex<Option<(u64, Stream)>>;

/// The uses of an allocation, and whether a command writes the allocation.
pub(crate) type Use<'a> = (&'a Mutex<Uses>, bool);

#[derive(Clone, Copy)]
struct QueueStream {
    stream: Stream,
    /// The event of the stream, which is recorded again before each wait of another stream. A wait uses the newest
    /// recording of the event at the time of the call.
    event: EventHandle,
}

/// The streams of a context.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Streams {
    /// Whether a queue besides the default queue has been used.
    several: RwLock<bool>,
    streams: [OnceLock<QueueStream>; MAX_QUEUES],
    order: Mutex<Order>,
}

/// The tick of all commands of the default queue before the first use of another queue.
const EARLIER: u64 = 1;

impl Streams {
    fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn queue_stream<D: Driver>(&self, engine: &Engine<D>, queue: Queue) -> DriverResult<QueueStream> {
        match self.streams[queue.index()].get() {
            Some(entry) => Ok(*entry),
            None => self.create_stream(engine, queue),
        }
    }

    #[cold]
    fn create_stream<D: Driver>(&self, engine: &Engine<D>, queue: Queue) -> DriverResult<QueueStream> {
        let slot = &self.streams[queue.index()];
        let _one_thread = self.order();
        if let Some(entry) = slot.get() {
            return Ok(*entry);
        }
        let entry = QueueStream { stream: engine.stream()?, event: engine.create_event(false)? };
        Ok(*slot.get_or_init(|| entry))
    }

    /// Makes a stream of another library the stream of a queue. Returns `false` if the queue already has a stream.
    pub fn import<D: Driver>(&self, engine: &Engine<D>, queue: Queue, stream: Stream) -> DriverResult<bool> {
        let _one_thread = self.order();
        let slot = &self.streams[queue.index()];
        if slot.get().is_some() {
            return Ok(false);
        }
        Ok(slot.set(QueueStream { stream, event: engine.create_event(false)? }).is_ok())
    }

    /// Whether only the default queue has been used.
    pub fn is_single(&self) -> bool {
        !*self.several.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all queues.
    pub fn sync<D: Driver>(&self, engine: &Engine<D>) -> DriverResult<()> {
        self.streams.iter().filter_map(OnceLock::get).try_for_each(|entry| engine.sync_stream(entry.stream))
    }

    /// The stream of a queue.
    pub fn stream<D: Driver>(&self, engine: &Engine<D>, queue: Queue) -> DriverResult<Stream> {
        self.queue_stream(engine, queue).map(|entry| entry.stream)
    }

    /// Submits a command, with the allocations that the command uses. `run` calls the driver and does not wait for the
    /// device.
    pub fn submit<'a, D: Driver, T>(
        &self,
        engine: &Engine<D>,
        queue: Queue,
        uses: impl Iterator<Item = Use<'a>> + Clone,
        run: impl FnOnce(Stream) -> DriverResult<T>,
    ) -> DriverResult<T> {
        let entry = self.queue_stream(engine, queue)?;
        let several = self.several.read().unwrap_or_else(PoisonError::into_inner);
        if !*several {
            if queue == Queue::DEFAULT {
                return run(entry.stream);
            }
            drop(several);
            self.begin_order();
        }
        self.submit_in_order(engine, queue, entry, uses, run)
    }

    fn submit_in_order<'a, D: Driver, T>(
        &self,
        engine: &Engine<D>,
        queue: Queue,
        entry: QueueStream,
        uses: impl Iterator<Item = Use<'a>> + Clone,
        run: impl FnOnce(Stream) -> DriverResult<T>,
    ) -> DriverResult<T> {
        let mut order = self.order();
        let mut condition = Ticks::at(Queue::DEFAULT, EARLIER);
        for (uses, writes) in uses.clone() {
            condition.join(&locked(uses).before(writes));
        }
        order.wait(queue, &condition, |other| match self.streams[other.index()].get() {
            Some(other) => {
                engine.record(other.event, other.stream).and_then(|()| engine.wait(entry.stream, other.event))
            }
            None => Ok(()),
        })?;
        let tick = order.submit(queue);
        for (uses, writes) in uses {
            locked(uses).record(queue, tick, writes);
        }
        run(entry.stream)
    }

    /// Starts to record the uses of allocations. The exclusive lock waits for the submissions that began
    /// before the recording.
    fn begin_order(&self) {
        let mut several = self.several.write().unwrap_or_else(PoisonError::into_inner);
        if !*several {
            *several = true;
            self.order().submit(Queue::DEFAULT);
        }
    }
}

fn locked(uses: &Mutex<Uses>) -> MutexGuard<'_, Uses> {
    uses.lock().unwrap_or_else(PoisonError::into_inner)
}
