//! The context of a device. A kernel fault ends the context, and a child process creates a new context.
//!
//! After a kernel has faulted, a driver such as CUDA's returns the same error for every later call of the process. The
//! device memory of the process is lost. A new context or another copy of the driver's library does not remove the
//! error (tried with CUDA's driver 580). The call that detects the fault therefore ends the context, and a child
//! process creates the next context ([`crate::host`]). Each context has a generation number, and the objects of a
//! context store this number. The use of an object of an ended context fails with the fault that ended the context.
use crate::driver::{Class, Driver, DriverError, DriverResult, Stream};
use crate::engine::Engine;
use crate::streams::{Streams, Use};
use cube_artifact::Variables;
use cube_runtime::external::Owner;
use cube_runtime::{ErrorKind, Queue, RuntimeError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

/// Maximum number of kernel names in the message about a fault.
pub(crate) const MAX_NAMES: usize = 8;

/// States that no further kernel name is stored. It is the address of no name.
const FULL: usize = usize::MAX;

/// Maximum number of stored faults. For an older fault, the error does not state the cause.
const MAX_FAULTS: usize = 64;

/// The contexts of a device; only one context exists at a time. In this type and in the types of its fields, the fields that a
/// launch reads are first, so that a launch reads few cache lines.
#[repr(C)]
pub(crate) struct Contexts<D: Driver> {
    /// Number of the device among all opened devices of the process, in the order in which a thread locks two devices.
    number: u64,
    /// The address of the last name in `launched`, or [`FULL`]; 0 if the last name is unknown. With this address, a repeated
    /// launch of one kernel takes no lock.
    last: AtomicUsize,
    current: RwLock<Current<D>>,
    ordinal: u32,
    /// The environment in which a child process is searched after a fault.
    variables: Variables,
    /// Kernels that were launched since the last wait for the device.
    launched: Mutex<Vec<Arc<str>>>,
    /// The number of names in `launched`, which a wait for the device reads without the lock.
    noted: AtomicUsize,
    /// The fault that ended the context of each generation.
    faults: Mutex<BTreeMap<u64, String>>,
}

#[repr(C)]
struct Current<D: Driver> {
    generation: u64,
    /// `None` until the first call after a fault, and if no new context could be created.
    session: Option<Session<D>>,
}

#[repr(C)]
struct Session<D: Driver> {
    engine: Engine<D>,
    streams: Streams,
    /// The owners of imported streams.
    owners: Mutex<Vec<Owner>>,
    /// Whether the driver copies directly from a context of another device: the device's number among [`Contexts`], the
    /// generation of its context, and the result of [`Driver::connect`].
    peers: Mutex<Vec<(u64, u64, bool)>>,
}

impl<D: Driver> Session<D> {
    fn create(ordinal: u32, variables: &Variables) -> DriverResult<Self> {
        Ok(Session {
            engine: Engine::create(ordinal, variables)?,
            streams: Streams::default(),
            owners: Mutex::default(),
            peers: Mutex::default(),
        })
    }
}

/// The current context of the device, which this thread has made current. The context does not end while this
/// value exists.
pub(crate) struct ContextGuard<'a, D: Driver>(RwLockReadGuard<'a, Current<D>>);

impl<D: Driver> ContextGuard<'_, D> {
    fn session(&self) -> &Session<D> {
        self.0.session.as_ref().expect("entered only with a session")
    }

    /// The engine that calls the driver.
    pub fn engine(&self) -> &Engine<D> {
        &self.session().engine
    }

    /// The number of the context among the contexts of the device.
    pub fn generation(&self) -> u64 {
        self.0.generation
    }

    /// The stream of a queue.
    pub fn stream(&self, queue: Queue) -> DriverResult<Stream> {
        self.session().streams.stream(self.engine(), queue)
    }

    /// Makes a stream of another library the stream of a queue. Returns whether the queue had no stream before.
    pub fn use_stream(&self, queue: Queue, stream: Stream, owner: Owner) -> DriverResult<bool> {
        let Session { engine, streams, owners, .. } = self.session();
        let used = streams.import(engine, queue, stream)?;
        if used {
            owners.lock().unwrap_or_else(PoisonError::into_inner).push(owner);
        }
        Ok(used)
    }

    /// Waits for all queues.
    pub fn sync(&self) -> DriverResult<()> {
        self.session().streams.sync(self.engine())
    }

    /// Submits a command, with the allocations that the command uses. `run` calls the driver and does not wait for the
    /// device.
    pub fn submit<'a, T>(
        &self,
        queue: Queue,
        uses: impl Iterator<Item = Use<'a>> + Clone,
        run: impl FnOnce(&Engine<D>, Stream) -> DriverResult<T>,
    ) -> DriverResult<T> {
        let Session { engine, streams, .. } = self.session();
        streams.submit(engine, queue, uses, |stream| run(engine, stream))
    }
}

impl<D: Driver> Contexts<D> {
    /// Creates the first context.
    pub fn new(ordinal: u32, variables: &Variables) -> DriverResult<Self> {
        let session = Some(Session::create(ordinal, variables)?);
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (variables, current) = (variables.clone(), RwLock::new(Current { generation: 1, session }));
        let (launched, last, noted, faults) = Default::default();
        Ok(Contexts { number, ordinal, variables, current, launched, last, noted, faults })
    }

    /// The number of the device in the driver.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Runs `work` in the current context. If a kernel faults, the context ends, and the error names the kernel.
    /// `refused` creates the error for any other refusal by the driver.
    pub fn with<T>(
        &self,
        work: impl FnOnce(&ContextGuard<'_, D>) -> Result<T, Failure>,
        refused: impl FnOnce(&DriverError) -> RuntimeError,
    ) -> Result<T, RuntimeError> {
        let entered = self.enter()?;
        let generation = entered.generation();
        match work(&entered) {
            Ok(value) => Ok(value),
            Err(failure) => {
                drop(entered);
                Err(self.failed(generation, failure, refused))
            }
        }
    }

    /// The error of work that failed in the context of `generation`, which no longer has a guard.
    #[cold]
    fn failed(
        &self,
        generation: u64,
        failure: Failure,
        refused: impl FnOnce(&DriverError) -> RuntimeError,
    ) -> RuntimeError {
        match failure {
            Failure::Reported(error) => error,
            Failure::Driver(error) if error.class == Class::Fault => self.renew(generation, &error),
            Failure::Driver(error) => refused(&error),
        }
    }

    /// Like [`Contexts::with`], for driver calls that have no specific error. If the driver refuses a call,
    /// the error names the call.
    pub fn call<T>(&self, work: impl FnOnce(&ContextGuard<'_, D>) -> Result<T, Failure>) -> Result<T, RuntimeError> {
        self.with(work, unexpected::<D>)
    }

    /// Runs `work` in the current contexts of this device and of `other`, another device. `work` makes the context of
    /// each driver call current. If a kernel of a device has faulted, the context of that device ends.
    pub fn with_both<T>(
        &self,
        other: &Self,
        work: impl FnOnce(&ContextGuard<'_, D>, &ContextGuard<'_, D>) -> Result<T, DeviceFailure>,
    ) -> Result<T, RuntimeError> {
        // All threads lock two devices in the order of their numbers. With different orders, a thread that ends a
        // context could wait forever.
        let (own, others) = if self.number < other.number {
            let own = self.enter()?;
            (own, other.enter()?)
        } else {
            let others = other.enter()?;
            (self.enter()?, others)
        };
        let generations = [own.generation(), others.generation()];
        let outcome = work(&own, &others);
        drop((own, others));
        outcome.map_err(|DeviceFailure { of_other, failure }| match failure {
            Failure::Reported(error) => error,
            Failure::Driver(error) if error.class == Class::Fault => match of_other {
                true => other.renew(generations[1], &error),
                false => self.renew(generations[0], &error),
            },
            Failure::Driver(error) => unexpected::<D>(&error),
        })
    }

    /// Whether the driver copies from the context `other` of `source` to the context `own` of this device without host
    /// memory. The context `own` is current.
    pub fn is_connected(
        &self,
        own: &ContextGuard<'_, D>,
        source: &Self,
        other: &ContextGuard<'_, D>,
    ) -> DriverResult<bool> {
        let (Some(context), Some(from)) = (own.engine().local_context(), other.engine().local_context()) else {
            return Ok(false);
        };
        let mut peers = own.session().peers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = peers.iter().find(|(number, ..)| *number == source.number);
        if let Some((_, _, connected)) = known.filter(|(_, generation, _)| *generation == other.generation()) {
            return Ok(*connected);
        }
        let connected = context.connect(from)?;
        peers.retain(|(number, ..)| *number != source.number);
        peers.push((source.number, other.generation(), connected));
        Ok(connected)
    }

    /// Releases an object of the context of `generation` if this context still exists. Failures are ignored.
    pub fn release(&self, generation: u64, work: impl FnOnce(&Engine<D>)) {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = current.session.as_ref().filter(|_| current.generation == generation)
            && session.engine.enter().is_ok()
        {
            work(&session.engine);
        }
    }

    /// Runs a call that waits for all work. If the call succeeds, no kernel that was launched before the call
    /// has faulted.
    pub fn synced<T>(
        &self,
        _entered: &ContextGuard<'_, D>,
        wait: impl FnOnce() -> DriverResult<T>,
    ) -> Result<T, Failure> {
        let before = self.noted.load(Ordering::Acquire);
        let value = wait()?;
        if before == 0 {
            return Ok(value);
        }
        let mut names = self.launched.lock().unwrap_or_else(PoisonError::into_inner);
        let done = before.min(names.len());
        names.drain(..done);
        self.noted.store(names.len(), Ordering::Release);
        if done > 0 {
            self.last.store(0, Ordering::Relaxed);
        }
        Ok(value)
    }

    /// Runs a call that waits for one queue. If the program uses only this queue, the call waits for all
    /// work.
    pub fn synced_queue<T>(
        &self,
        entered: &ContextGuard<'_, D>,
        wait: impl FnOnce() -> DriverResult<T>,
    ) -> Result<T, Failure> {
        if entered.session().streams.is_single() { self.synced(entered, wait) } else { Ok(wait()?) }
    }

    /// Stores the name of a launched kernel until the next wait for the device. The list of names keeps its memory, so
    /// that later launches allocate nothing.
    #[inline]
    pub fn note(&self, kernel: &Arc<str>) {
        let last = self.last.load(Ordering::Relaxed);
        if last != kernel.as_ptr().addr() && last != FULL {
            self.note_other(kernel);
        }
    }

    #[cold]
    fn note_other(&self, kernel: &Arc<str>) {
        let mut names = self.launched.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() < MAX_NAMES && names.last().is_none_or(|last| last != kernel) {
            names.push(kernel.clone());
            self.noted.store(names.len(), Ordering::Release);
        }
        let is_full = names.len() == MAX_NAMES;
        self.last.store(if is_full { FULL } else { kernel.as_ptr().addr() }, Ordering::Relaxed);
    }

    /// The error for the use of a buffer of an ended context.
    pub fn lost(&self, generation: u64) -> RuntimeError {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let cause = faults.get(&generation).map_or("a kernel faulted", String::as_str);
        RuntimeError::new(
            ErrorKind::Fault,
            format!("the buffer was lost when {cause}; allocate it again and write its data"),
        )
    }

    fn enter(&self) -> Result<ContextGuard<'_, D>, RuntimeError> {
        let mut current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.session.is_none() {
            drop(current);
            self.recreate()?;
            current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        }
        let entered = match &current.session {
            Some(session) => session.engine.enter(),
            None => return Err(no_context("a kernel fault occurred in another thread at the same time")),
        };
        let Err(error) = entered else { return Ok(ContextGuard(current)) };
        let generation = current.generation;
        drop(current);
        // The fault can already have been returned by an earlier call whose error the runtime ignores, for example by a
        // release.
        Err(if error.class == Class::Fault { self.renew(generation, &error) } else { unexpected::<D>(&error) })
    }

    fn recreate(&self) -> Result<(), RuntimeError> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.session.is_none() {
            let made = Session::create(self.ordinal, &self.variables);
            current.session = Some(made.map_err(|error| no_context(&error.description))?);
        }
        Ok(())
    }

    /// Ends the context of `generation`, unless it has already ended. The next call creates a new context.
    fn renew(&self, generation: u64, error: &DriverError) -> RuntimeError {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if current.generation == generation {
            let names = std::mem::take(&mut *self.launched.lock().unwrap_or_else(PoisonError::into_inner));
            self.last.store(0, Ordering::Relaxed);
            self.noted.store(0, Ordering::Release);
            faults.insert(generation, cause(&names, error));
            if faults.len() > MAX_FAULTS {
                faults.pop_first();
            }
            if let Some(session) = current.session.take() {
                session.engine.destroy(true);
            }
            current.generation += 1;
        }
        let cause = faults.get(&generation).map_or("a kernel faulted", String::as_str);
        RuntimeError::new(
            ErrorKind::Fault,
            format!("{cause}: all buffers of the device are lost; new ones and the next launch work"),
        )
    }
}

impl<D: Driver> Drop for Contexts<D> {
    fn drop(&mut self) {
        let current = self.current.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = current.session.take() {
            session.engine.destroy(false);
        }
    }
}

/// The reason why work in the contexts of two devices has failed.
pub(crate) struct DeviceFailure {
    /// Whether the call was in the context of the other device.
    pub of_other: bool,
    pub failure: Failure,
}

/// The reason why work in a context has failed.
pub(crate) enum Failure {
    Driver(DriverError),
    Reported(RuntimeError),
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        Failure::Driver(error)
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        Failure::Reported(error)
    }
}

pub(crate) fn unexpected<D: Driver>(error: &DriverError) -> RuntimeError {
    let DriverError { call, description, .. } = error;
    let message = format!("the {} driver refuses {call} ({description}); check that {} works", D::NAME, D::CHECK);
    RuntimeError::new(ErrorKind::Driver, message)
}

fn no_context(why: &str) -> RuntimeError {
    RuntimeError::new(
        ErrorKind::Driver,
        format!(
            "after a kernel fault, the device can be used only from a new process, but no new process started ({why}); install {}, or start the program again",
            crate::host::PROGRAM
        ),
    )
}

fn cause(names: &[Arc<str>], error: &DriverError) -> String {
    let description = &error.description;
    match names {
        [] => format!("a kernel faulted ({description})"),
        [one] => format!("kernel '{one}' faulted ({description})"),
        several => format!("one of the kernels {} faulted ({description})", several.join(", ")),
    }
}
