//! Handles to device memory.
use super::arguments::LaunchError;
use cube_runtime::Buffer;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A range of bytes in device memory. Clones of a handle share the memory.
#[derive(Clone, Debug)]
pub struct Handle {
    buffer: Buffer,
    /// Number of bytes skipped at the start of the buffer.
    pub offset_start: Option<u64>,
    /// Number of bytes skipped at the end of the buffer.
    pub offset_end: Option<u64>,
    validity: Validity,
}

/// Whether the bytes of a buffer are valid. All handles to the buffer share this state.
#[derive(Clone, Debug)]
pub(super) struct Validity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Whether `failure` has a value. The flag changes under the lock of `failure`, and most calls read only the flag.
    failed: AtomicBool,
    /// The failure that made the bytes invalid.
    failure: Mutex<Option<LaunchError>>,
}

impl Validity {
    fn new() -> Self {
        Validity(Arc::new(Shared { failed: AtomicBool::new(false), failure: Mutex::default() }))
    }

    fn set(&self, failure: Option<LaunchError>) {
        let mut slot = self.0.failure.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.failed.store(failure.is_some(), Ordering::Release);
        *slot = failure;
    }

    /// Marks the bytes as invalid, because a launch that should have written the bytes failed.
    pub fn mark_failed(&self, error: &LaunchError) {
        self.set(Some(error.clone()));
    }

    /// Marks the bytes as valid after a successful write.
    pub fn mark_good(&self) {
        if self.0.failed.load(Ordering::Acquire) {
            self.set(None);
        }
    }

    /// The failure that made the bytes invalid.
    pub fn failure(&self) -> Option<LaunchError> {
        if !self.0.failed.load(Ordering::Acquire) {
            return None;
        }
        self.0.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether both states are of one buffer.
    pub fn is(&self, other: &Validity) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A handle as a launch argument.
pub type Binding = Handle;

/// Describes a tensor in device memory, for a read.
#[derive(Clone, Debug)]
pub struct CopyDescriptor<'a> {
    /// Memory of the tensor.
    pub binding: Binding,
    /// Number of elements along each dimension.
    pub shape: &'a [usize],
    /// Stride of each dimension, in elements.
    pub strides: &'a [usize],
    /// Size of an element in bytes, or 0 for memory without a shape.
    pub elem_size: usize,
}

impl<'a> CopyDescriptor<'a> {
    /// Describes a tensor at the start of a handle's memory.
    pub fn new(binding: Binding, shape: &'a [usize], strides: &'a [usize], elem_size: usize) -> Self {
        CopyDescriptor { binding, shape, strides, elem_size }
    }
}

impl From<Handle> for CopyDescriptor<'_> {
    /// Describes the handle's bytes in memory order, without a shape.
    fn from(binding: Handle) -> Self {
        CopyDescriptor { binding, shape: &[], strides: &[], elem_size: 0 }
    }
}

impl Handle {
    /// A handle over a whole buffer.
    pub(super) fn new(buffer: Buffer) -> Self {
        Handle { buffer, offset_start: None, offset_end: None, validity: Validity::new() }
    }

    /// Returns the handle as a launch argument.
    pub fn binding(self) -> Binding {
        self
    }

    /// Describes a tensor at the start of the handle's memory.
    pub fn copy_descriptor<'a>(
        &self,
        shape: &'a [usize],
        strides: &'a [usize],
        elem_size: usize,
    ) -> CopyDescriptor<'a> {
        CopyDescriptor { binding: self.clone(), shape, strides, elem_size }
    }

    /// Moves the start of the range forward by `bytes` bytes.
    pub fn offset_start(mut self, bytes: u64) -> Self {
        self.offset_start = Some(self.start().saturating_add(bytes));
        self
    }

    /// Moves the end of the range back by `bytes` bytes.
    pub fn offset_end(mut self, bytes: u64) -> Self {
        self.offset_end = Some(self.end().saturating_add(bytes));
        self
    }

    fn start(&self) -> u64 {
        self.offset_start.unwrap_or(0)
    }

    fn end(&self) -> u64 {
        self.offset_end.unwrap_or(0)
    }

    /// Size of the range in bytes.
    pub fn size(&self) -> u64 {
        self.buffer.size().saturating_sub(self.start()).saturating_sub(self.end())
    }

    /// Whether no other handle refers to the memory.
    pub fn can_mut(&self) -> bool {
        Arc::strong_count(&self.validity.0) == 1
    }

    /// The handle's range as a buffer of the runtime, for code that calls the device directly.
    ///
    /// # Errors
    /// The handle's offsets exceed the buffer.
    pub fn buffer(&self) -> Result<Buffer, LaunchError> {
        let (size, start, end) = (self.buffer.size(), self.start(), self.end());
        if start.saturating_add(end) > size {
            return Err(LaunchError::of_user(format!(
                "a handle skips its first {start} and last {end} bytes, but the buffer has {size} bytes; use smaller offsets"
            )));
        }
        Ok(self.buffer.slice(start..size - end)?)
    }

    /// The whole buffer of the handle.
    pub(super) fn whole_buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Whether the bytes of the buffer are valid.
    pub(super) fn validity(&self) -> &Validity {
        &self.validity
    }

    /// See [`Validity::mark_failed`].
    pub(super) fn mark_failed(&self, error: &LaunchError) {
        self.validity.mark_failed(error);
    }

    /// See [`Validity::mark_good`].
    pub(super) fn mark_good(&self) {
        self.validity.mark_good();
    }

    /// See [`Validity::failure`].
    pub(super) fn failure(&self) -> Option<LaunchError> {
        self.validity.failure()
    }
}
