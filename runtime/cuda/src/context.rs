//! The context of a device, which a faulting kernel ends and which is then made anew.
//!
//! CUDA answers every call in a context with the same error once a kernel in it has faulted, and its memory is gone. So what lives
//! in a context carries the number of its generation. Whoever meets the fault ends the context and makes the next one; whoever
//! comes later with something of an older generation is told which fault it was lost to.
use crate::driver::{Answer, DriverError, Gpu, Raw};
use cube_runtime::{ErrorKind, RuntimeError};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

/// Names that are remembered for the message about a fault.
const MOST_NAMES: usize = 8;

/// Faults that are remembered; what is older is told without its cause.
const MOST_FAULTS: usize = 64;

/// A device's contexts, one after the other.
pub(crate) struct Contexts {
    gpu: Gpu,
    current: RwLock<Current>,
    /// Kernels launched since somebody last waited.
    launched: Mutex<Vec<String>>,
    /// What ended each generation.
    faults: Mutex<BTreeMap<u64, String>>,
}

struct Current {
    generation: u64,
    /// `None` where no new context could be made; the next call tries again.
    raw: Option<Raw>,
}

/// The current context, held so that it does not end, and entered by this thread.
pub(crate) struct Entered<'a> {
    pub raw: Raw,
    pub generation: u64,
    _guard: RwLockReadGuard<'a, Current>,
}

impl Contexts {
    /// Makes the first context.
    pub fn new(gpu: Gpu) -> Answer<Self> {
        let current = RwLock::new(Current { generation: 1, raw: Some(Raw::create(gpu)?) });
        Ok(Contexts { gpu, current, launched: Mutex::default(), faults: Mutex::default() })
    }

    /// Does something in the current context. A fault that comes to light ends the context and is told as such; what else the
    /// driver refuses is told by `refused`.
    pub fn with<T>(
        &self,
        work: impl FnOnce(&Entered<'_>) -> Result<T, Failure>,
        refused: impl FnOnce(&DriverError) -> RuntimeError,
    ) -> Result<T, RuntimeError> {
        let entered = self.enter()?;
        let generation = entered.generation;
        let failure = match work(&entered) {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        drop(entered);
        match failure {
            Failure::Told(error) => Err(error),
            Failure::Driver(error) if error.ends_the_context() => Err(self.renew(generation, &error)),
            Failure::Driver(error) => Err(refused(&error)),
        }
    }

    /// As `with`, for calls that fail for no reason that the program could know.
    pub fn call<T>(&self, work: impl FnOnce(&Entered<'_>) -> Result<T, Failure>) -> Result<T, RuntimeError> {
        self.with(work, unexpected)
    }

    /// Gives something of `generation` back, where that still exists; nobody is told of failures.
    pub fn release(&self, generation: u64, give_back: impl FnOnce(Raw)) {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(raw) = current.raw.filter(|_| current.generation == generation)
            && raw.enter().is_ok()
        {
            give_back(raw);
        }
    }

    /// Waits for all work; what was launched until now has not faulted then.
    pub fn sync(&self) -> Result<(), RuntimeError> {
        self.call(|entered| self.synced(entered, || entered.raw.sync()))
    }

    /// Runs something that waits for all work before it returns.
    pub fn synced<T>(&self, _entered: &Entered<'_>, wait: impl FnOnce() -> Answer<T>) -> Result<T, Failure> {
        let names = || self.launched.lock().unwrap_or_else(PoisonError::into_inner);
        let before = names().len();
        let value = wait()?;
        let mut names = names();
        let done = before.min(names.len());
        names.drain(..done);
        Ok(value)
    }

    /// Remembers a launch until the next wait.
    pub fn note(&self, kernel: &str) {
        let mut names = self.launched.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() < MOST_NAMES && names.last().is_none_or(|last| last != kernel) {
            names.push(kernel.to_string());
        }
    }

    /// Why something of an older generation is gone.
    pub fn lost(&self, generation: u64) -> RuntimeError {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let cause = faults.get(&generation).map_or("a kernel faulted", String::as_str);
        RuntimeError::new(
            ErrorKind::Fault,
            format!("the buffer was lost when {cause}: allocate it again and write its data"),
        )
    }

    fn enter(&self) -> Result<Entered<'_>, RuntimeError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(raw) = current.raw {
            raw.enter().map_err(|error| unexpected(&error))?;
            return Ok(Entered { raw, generation: current.generation, _guard: current });
        }
        drop(current);
        self.recreate()?;
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let raw = current.raw.ok_or_else(|| no_context("another thread met a fault at the same time"))?;
        raw.enter().map_err(|error| unexpected(&error))?;
        Ok(Entered { raw, generation: current.generation, _guard: current })
    }

    fn recreate(&self) -> Result<(), RuntimeError> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.raw.is_none() {
            current.raw = Some(Raw::create(self.gpu).map_err(|error| no_context(&error.words()))?);
        }
        Ok(())
    }

    /// Ends the context of `generation`, if nobody else has yet, and makes the next.
    fn renew(&self, generation: u64, error: &DriverError) -> RuntimeError {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if current.generation == generation {
            let names = std::mem::take(&mut *self.launched.lock().unwrap_or_else(PoisonError::into_inner));
            faults.insert(generation, cause(&names, error));
            if faults.len() > MOST_FAULTS {
                faults.pop_first();
            }
            if let Some(raw) = current.raw.take() {
                raw.destroy();
            }
            // Where this fails the next call tries again and tells.
            current.raw = Raw::create(self.gpu).ok();
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
        if let Some(raw) = current.raw.take() {
            raw.destroy();
        }
    }
}

/// Why work in a context failed.
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
    let message = format!("the CUDA driver refuses {} ({}): see whether nvidia-smi works", error.call, error.words());
    RuntimeError::new(ErrorKind::Driver, message)
}

fn no_context(why: &str) -> RuntimeError {
    RuntimeError::new(
        ErrorKind::Driver,
        format!("the CUDA driver gives no new context after a fault ({why}): try again"),
    )
}

fn cause(names: &[String], error: &DriverError) -> String {
    let words = error.words();
    match names {
        [] => format!("a kernel faulted ({words})"),
        [one] => format!("kernel '{one}' faulted ({words})"),
        several => format!("one of the kernels {} faulted ({words})", several.join(", ")),
    }
}
