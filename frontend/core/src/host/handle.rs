//! Handles to device memory.
use super::arguments::LaunchError;
use cube_runtime::Buffer;
use std::sync::{Arc, Mutex, PoisonError};

/// A range of bytes in device memory. Clones of a handle share the memory.
#[derive(Clone, Debug)]
pub struct Handle {
    buffer: Buffer,
    /// Number of bytes skipped at the start of the buffer.
    pub offset_start: Option<u64>,
    /// Number of bytes skipped at the end of the buffer.
    pub offset_end: Option<u64>,
    shared: Arc<Shared>,
}

/// State shared by all handles to one buffer.
#[derive(Debug)]
struct Shared {
    failure: Mutex<Option<LaunchError>>,
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
        let shared = Arc::new(Shared { failure: Mutex::default() });
        Handle { buffer, offset_start: None, offset_end: None, shared }
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
        Arc::strong_count(&self.shared) == 1
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

    /// Whether two handles refer to one allocation.
    pub(super) fn same_memory(&self, other: &Handle) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Marks the handle's bytes as invalid, because a launch that should have written the bytes failed.
    pub(super) fn mark_failed(&self, error: &LaunchError) {
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
    }

    /// Marks the handle's bytes as valid after a successful write.
    pub(super) fn mark_good(&self) {
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The failure that made the bytes invalid.
    pub(super) fn failure(&self) -> Option<LaunchError> {
        self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
