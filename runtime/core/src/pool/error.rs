//! The error of a request that a pool refuses.
use super::usage::MemoryUsage;
use crate::error::RuntimeError;

/// A request that the pool cannot satisfy; `E` is the driver's reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfMemory<E> {
    /// Requested bytes.
    pub requested: u64,
    /// Memory usage of the pool after it was trimmed.
    pub usage: MemoryUsage,
    /// Maximum total size of all segments.
    pub limit: u64,
    /// The driver's reason; `None` if the pool's limit refuses the request.
    pub refusal: Option<E>,
}

impl<E> OutOfMemory<E> {
    /// The typed error. `owner` is the device or "the system", and `more` contains the driver's own counters.
    pub fn error(&self, owner: &str, more: &str) -> RuntimeError {
        let reason = match self.refusal {
            Some(_) => format!("{owner} cannot allocate {} bytes of memory", self.requested),
            None => format!("{} bytes of memory exceed the limit of {} bytes", self.requested, self.limit),
        };
        let message = format!("{reason} ({}{more}); free some buffers or use smaller ones", self.usage);
        let mut error = RuntimeError::device_limit(message);
        error.memory = Some(Box::new(self.usage));
        error
    }
}
