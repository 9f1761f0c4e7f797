//! The context of a device. A kernel fault ends it, and a new one is created in another process.
//!
//! After a fault of a kernel, CUDA answers every call of the process with the same error, and its memory is lost.
//! Neither a new context nor another copy of the library helps (tried with driver 580). An object in a context
//! therefore has the number of the context's generation. The call that finds the fault ends the context, and a child
//! process creates the next one ([`crate::host`]). A later use of an object of an older generation fails with the fault
//! that ended it.
use crate::driver::{Answer, DriverError, Gpu};
use crate::engine::Engine;
use cube_runtime::{ErrorKind, RuntimeError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

/// Maximum names that are remembered for the message about a fault.
const MOST_NAMES: usize = 8;

/// Maximum faults that are remembered; an older one is reported without its cause.
const MOST_FAULTS: usize = 64;

/// The successive contexts of a device.
pub(crate) struct Contexts {
    gpu: Gpu,
    ordinal: u32,
    current: RwLock<Current>,
    /// Kernels launched since the last wait.
    launched: Mutex<Vec<Arc<str>>>,
    /// The fault that ended each generation.
    faults: Mutex<BTreeMap<u64, String>>,
}

struct Current {
    generation: u64,
    /// `None` until the first call after a fault, and where no new context could be made.
    engine: Option<Engine>,
}

/// The current context, locked against its end, and entered by this thread.
pub(crate) struct Entered<'a>(RwLockReadGuard<'a, Current>);

impl Entered<'_> {
    /// The engine that talks to the driver.
    pub fn engine(&self) -> &Engine {
        self.0.engine.as_ref().expect("entered only where there is one")
    }

    /// Its number among the contexts of the device.
    pub fn generation(&self) -> u64 {
        self.0.generation
    }
}

impl Contexts {
    /// Creates the first context.
    pub fn new(gpu: Gpu, ordinal: u32) -> Answer<Self> {
        let current = RwLock::new(Current { generation: 1, engine: Some(Engine::create(gpu, ordinal)?) });
        Ok(Contexts { gpu, ordinal, current, launched: Mutex::default(), faults: Mutex::default() })
    }

    /// Runs `work` in the current context. A fault of a kernel ends the context, and its error names that kernel. `refused` makes the
    /// error of any other refusal by the driver.
    pub fn with<T>(
        &self,
        work: impl FnOnce(&Entered<'_>) -> Result<T, Failure>,
        refused: impl FnOnce(&DriverError) -> RuntimeError,
    ) -> Result<T, RuntimeError> {
        let entered = self.enter()?;
        let generation = entered.generation();
        let failure = match work(&entered) {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        drop(entered);
        match failure {
            Failure::Told(error) => Err(error),
            Failure::Driver(error) if error.ends_the_process() => Err(self.renew(generation, &error)),
            Failure::Driver(error) => Err(refused(&error)),
        }
    }

    /// Runs `work` like `with`, for calls that can fail for reasons that the program cannot know.
    pub fn call<T>(&self, work: impl FnOnce(&Entered<'_>) -> Result<T, Failure>) -> Result<T, RuntimeError> {
        self.with(work, unexpected)
    }

    /// Releases an object of `generation` if it still exists; failures are ignored.
    pub fn release(&self, generation: u64, give_back: impl FnOnce(&Engine)) {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = current.engine.as_ref().filter(|_| current.generation == generation)
            && engine.enter().is_ok()
        {
            give_back(engine);
        }
    }

    /// Waits for all work; earlier launches have then not faulted.
    pub fn sync(&self) -> Result<(), RuntimeError> {
        self.call(|entered| self.synced(entered, || entered.engine().sync()))
    }

    /// Runs a function that waits for all work before it returns.
    pub fn synced<T>(&self, _entered: &Entered<'_>, wait: impl FnOnce() -> Answer<T>) -> Result<T, Failure> {
        let names = || self.launched.lock().unwrap_or_else(PoisonError::into_inner);
        let before = names().len();
        let value = wait()?;
        let mut names = names();
        let done = before.min(names.len());
        names.drain(..done);
        Ok(value)
    }

    /// Records a launch until the next wait. The list keeps its memory, so that a warm launch allocates nothing.
    pub fn note(&self, kernel: &Arc<str>) {
        let mut names = self.launched.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() < MOST_NAMES && names.last().is_none_or(|last| last != kernel) {
            names.push(kernel.clone());
        }
    }

    /// The reason why an object of an older generation is lost.
    pub fn lost(&self, generation: u64) -> RuntimeError {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let cause = faults.get(&generation).map_or("a kernel faulted", String::as_str);
        RuntimeError::new(
            ErrorKind::Fault,
            format!("the buffer was lost when {cause}: allocate it again and write its data"),
        )
    }

    fn enter(&self) -> Result<Entered<'_>, RuntimeError> {
        let mut current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.engine.is_none() {
            drop(current);
            self.recreate()?;
            current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        }
        match &current.engine {
            Some(engine) => engine.enter().map_err(|error| unexpected(&error))?,
            None => return Err(no_context("another thread met a fault at the same time")),
        }
        Ok(Entered(current))
    }

    fn recreate(&self) -> Result<(), RuntimeError> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.engine.is_none() {
            let made = Engine::create(self.gpu, self.ordinal);
            current.engine = Some(made.map_err(|error| no_context(&error.words))?);
        }
        Ok(())
    }

    /// Ends the context of `generation`, unless it has ended already; the next call creates a new one.
    fn renew(&self, generation: u64, error: &DriverError) -> RuntimeError {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if current.generation == generation {
            let names = std::mem::take(&mut *self.launched.lock().unwrap_or_else(PoisonError::into_inner));
            faults.insert(generation, cause(&names, error));
            if faults.len() > MOST_FAULTS {
                faults.pop_first();
            }
            if let Some(engine) = current.engine.take() {
                engine.destroy(true);
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

impl Drop for Contexts {
    fn drop(&mut self) {
        let current = self.current.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = current.engine.take() {
            engine.destroy(false);
        }
    }
}

/// The reason why work in a context failed.
pub(crate) enum Failure {
    Driver(DriverError),
    Told(RuntimeError),
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        Failure::Driver(error)
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        Failure::Told(error)
    }
}

pub(crate) fn unexpected(error: &DriverError) -> RuntimeError {
    let message = format!("the CUDA driver refuses {} ({}): see whether nvidia-smi works", error.call, error.words);
    RuntimeError::new(ErrorKind::Driver, message)
}

fn no_context(why: &str) -> RuntimeError {
    RuntimeError::new(
        ErrorKind::Driver,
        format!(
            "after the fault of a kernel the device can only be used from a new process, and none started ({why}): install {}, or start the program again",
            crate::host::PROGRAM
        ),
    )
}

fn cause(names: &[Arc<str>], error: &DriverError) -> String {
    let words = &error.words;
    match names {
        [] => format!("a kernel faulted ({words})"),
        [one] => format!("kernel '{one}' faulted ({words})"),
        several => format!("one of the kernels {} faulted ({words})", several.join(", ")),
    }
}
