//! Tests the order of commands on several streams under chosen interleavings of threads, with the crate shuttle.
//!
//! The test compiles the source file of the streams with shuttle's locks, and with a driver that only records commands
//! and events. The records give a vector clock for each command. If two commands use a common byte and one command
//! writes the byte, their clocks must order the commands. A test with an inserted fault shows that the test finds a
//! missing wait.
#[path = "../src/streams.rs"]
#[allow(dead_code, reason = "the model imports no streams and records no graphs")]
mod streams;

/// The types of shuttle, instead of the module `sync` of the crate.
mod sync {
    pub(crate) use shuttle::sync::{Mutex, MutexGuard, RwLock};
    // An initialisation does not wait for another thread.
    pub(crate) use std::sync::{OnceLock, PoisonError};
}

mod driver {
    pub(crate) use cube_runtime_gpu::driver::{Driver, DriverResult, EventHandle, Stream};
}

/// The driver of the model.
mod engine {
    use super::driver::{DriverResult, EventHandle, Stream};
    use std::collections::BTreeMap;
    use std::marker::PhantomData;
    use std::sync::Mutex;

    /// For each stream, the number of its commands that precede a command.
    pub type Clock = BTreeMap<u64, u64>;

    #[derive(Default)]
    pub struct Notes {
        next: u64,
        /// The clock of the next command of each stream, without the command itself.
        streams: BTreeMap<u64, Clock>,
        events: BTreeMap<u64, Clock>,
        /// Each command: its stream, its number in the stream, its clock, and the bytes that it uses and writes.
        pub commands: Vec<(u64, u64, Clock, std::ops::Range<u64>, bool)>,
    }

    pub struct Engine<D> {
        pub notes: Mutex<Notes>,
        /// Whether a wait for an event has no effect.
        pub ignores_waits: bool,
        driver: PhantomData<fn() -> D>,
    }

    impl<D> Engine<D> {
        pub fn new(ignores_waits: bool) -> Self {
            Engine { notes: Mutex::default(), ignores_waits, driver: PhantomData }
        }

        fn call<T>(&self, call: impl FnOnce(&mut Notes) -> T) -> DriverResult<T> {
            // Another thread can run before and after each call of the driver.
            shuttle::thread::yield_now();
            Ok(call(&mut self.notes.lock().unwrap()))
        }

        pub fn stream(&self) -> DriverResult<Stream> {
            self.call(|notes| {
                notes.next += 1;
                notes.streams.insert(notes.next, Clock::new());
                Stream(notes.next)
            })
        }

        pub fn create_event(&self, _timed: bool) -> DriverResult<EventHandle> {
            self.call(|notes| {
                notes.next += 1;
                EventHandle(notes.next)
            })
        }

        pub fn record(&self, event: EventHandle, stream: Stream) -> DriverResult<()> {
            self.call(|notes| {
                let clock = notes.streams[&stream.0].clone();
                notes.events.insert(event.0, clock);
            })
        }

        pub fn wait(&self, stream: Stream, event: EventHandle) -> DriverResult<()> {
            self.call(|notes| {
                let event = notes.events[&event.0].clone();
                let clock = notes.streams.get_mut(&stream.0).expect("a stream of the model");
                for (other, number) in event.into_iter().filter(|_| !self.ignores_waits) {
                    let known = clock.entry(other).or_default();
                    *known = number.max(*known);
                }
            })
        }

        pub fn sync_stream(&self, _: Stream) -> DriverResult<()> {
            Ok(())
        }

        /// Records a command that uses the bytes in `range`.
        pub fn launch(&self, stream: Stream, range: std::ops::Range<u64>, writes: bool) -> DriverResult<()> {
            self.call(|notes| {
                let clock = notes.streams.get_mut(&stream.0).expect("a stream of the model");
                let number = clock.get(&stream.0).copied().unwrap_or_default() + 1;
                clock.insert(stream.0, number);
                let clock = clock.clone();
                notes.commands.push((stream.0, number, clock, range, writes));
            })
        }
    }
}

#[allow(dead_code, reason = "the model uses only the type")]
mod fake;

use cube_runtime::Queue;
use cube_runtime::pool::{Heap, Pool, PoolPolicy};
use cube_runtime::queue::Uses;
use engine::Engine;
use fake::Fake;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use streams::Streams;
use sync::Mutex;

/// Segments at increasing addresses.
struct Addresses(u64);

impl Heap for Addresses {
    type Segment = u64;
    type Error = ();
    const ZEROED: bool = false;

    fn reserve(&mut self, bytes: u64) -> Result<u64, ()> {
        self.0 += bytes;
        Ok(self.0 - bytes)
    }

    fn release(&mut self, _: u64) {}

    fn is_complete(&mut self, _: u64) -> bool {
        true
    }

    fn wait(&mut self) -> bool {
        true
    }
}

struct Device {
    engine: Engine<Fake>,
    streams: Streams,
    pool: Mutex<(Pool<u64>, Addresses)>,
}

impl Device {
    fn submit(&self, queue: Queue, uses: &Mutex<Uses>, range: std::ops::Range<u64>, writes: bool) {
        let used = std::iter::once((uses, writes));
        let launch = |stream| self.engine.launch(stream, range, writes);
        self.streams.submit(&self.engine, queue, used, launch).unwrap();
    }

    /// Allocates memory, writes and reads it on two queues, and releases it without a wait.
    fn temporary(&self, queues: [Queue; 2]) {
        let (block, start) = {
            let (pool, heap) = &mut *self.pool.lock().unwrap();
            let block = pool.alloc(256, heap).unwrap();
            let start = *pool.segment(&block) + block.offset;
            (block, start)
        };
        let uses = Mutex::new(Uses::after(block.ticks));
        for (queue, writes) in [(queues[0], true), (queues[1], false), (queues[0], false), (queues[1], true)] {
            self.submit(queue, &uses, start..start + 256, writes);
        }
        let ticks = uses.lock().unwrap().all();
        let (pool, heap) = &mut *self.pool.lock().unwrap();
        pool.release_used(block, &ticks, heap);
    }

    /// Checks that commands with a common byte are ordered.
    fn check(&self) {
        let notes = self.engine.notes.lock().unwrap();
        for (at, one) in notes.commands.iter().enumerate() {
            for other in &notes.commands[..at] {
                let common = one.3.start < other.3.end && other.3.start < one.3.end;
                let (before, after) = (one.2.get(&other.0) >= Some(&other.1), other.2.get(&one.0) >= Some(&one.1));
                assert!(before || after || !common || !(one.4 || other.4), "two commands are not ordered");
            }
        }
    }
}

/// Three threads use one shared buffer and temporary buffers, which share the memory of the pool, on three queues. One
/// thread uses only the default queue.
fn commands(ignores_waits: bool) {
    let device = Arc::new(Device {
        engine: Engine::new(ignores_waits),
        streams: Streams::default(),
        pool: Mutex::new((Pool::new(PoolPolicy::new(256, 1 << 40)), Addresses(1 << 40))),
    });
    let shared = Arc::new(Mutex::new(Uses::default()));
    let threads: Vec<_> = [[0, 0], [1, 0], [2, 1]]
        .into_iter()
        .map(|queues| {
            let (device, shared, queues) = (device.clone(), shared.clone(), queues.map(Queue::new));
            shuttle::thread::spawn(move || {
                device.submit(queues[0], &shared, 0..64, true);
                device.temporary(queues);
                device.submit(queues[1], &shared, 0..64, false);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    device.streams.sync(&device.engine).unwrap();
    device.check();
}

#[test]
fn commands_of_threads_on_common_memory_are_ordered() {
    shuttle::check_random(|| commands(false), 800);
    shuttle::check_pct(|| commands(false), 800, 3);
}

#[test]
fn a_missing_wait_is_found() {
    let found = catch_unwind(AssertUnwindSafe(|| shuttle::check_random(|| commands(true), 200))).is_err();
    assert!(found);
}
