//! Handles to device memory.
use super::arguments::LaunchError;
use super::memory::{Counted, Usage};
use cube_runtime::Buffer;
use std::sync::{Arc, Mutex, PoisonError};

/// A range of bytes of a device; clones share it.
#[derive(Clone, Debug)]
pub struct Handle {
    buffer: Buffer,
    /// Bytes left out at the beginning.
    pub offset_start: Option<u64>,
    /// Bytes left out at the end.
    pub offset_end: Option<u64>,
    shared: Arc<Shared>,
}

/// What all handles to one buffer share.
#[derive(Debug)]
struct Shared {
    failure: Mutex<Option<LaunchError>>,
    _counted: Counted,
}

/// A handle as a launch takes it.
pub type Binding = Handle;

/// Memory of a tensor as it is read.
#[derive(Clone, Debug)]
pub struct CopyDescriptor<'a> {
    /// The memory.
    pub binding: Binding,
    /// Elements along each dimension.
    pub shape: &'a [usize],
    /// Elements between neighbours along each dimension.
    pub strides: &'a [usize],
    /// Bytes of an element; 0 for bytes without a shape.
    pub elem_size: usize,
}

impl<'a> CopyDescriptor<'a> {
    /// A tensor in a handle's memory.
    pub fn new(binding: Binding, shape: &'a [usize], strides: &'a [usize], elem_size: usize) -> Self {
        CopyDescriptor { binding, shape, strides, elem_size }
    }
}

impl From<Handle> for CopyDescriptor<'_> {
    /// The bytes as they lie in memory.
    fn from(binding: Handle) -> Self {
        CopyDescriptor { binding, shape: &[], strides: &[], elem_size: 0 }
    }
}

impl Handle {
    /// A handle over a whole buffer.
    pub(super) fn new(buffer: Buffer, usage: &Arc<Usage>) -> Self {
        let counted = Counted::new(usage, buffer.size());
        let shared = Arc::new(Shared { failure: Mutex::default(), _counted: counted });
        Handle { buffer, offset_start: None, offset_end: None, shared }
    }

    /// The same handle, as a launch takes it.
    pub fn binding(self) -> Binding {
        self
    }

    /// The memory as that of a tensor.
    pub fn copy_descriptor<'a>(
        &self,
        shape: &'a [usize],
        strides: &'a [usize],
        elem_size: usize,
    ) -> CopyDescriptor<'a> {
        CopyDescriptor { binding: self.clone(), shape, strides, elem_size }
    }

    /// Without the first bytes.
    pub fn offset_start(mut self, bytes: u64) -> Self {
        self.offset_start = Some(self.start().saturating_add(bytes));
        self
    }

    /// Without the last bytes.
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

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.buffer.size().saturating_sub(self.start()).saturating_sub(self.end())
    }

    /// Whether nobody else holds the memory.
    pub fn can_mut(&self) -> bool {
        Arc::strong_count(&self.shared) == 1
    }

    /// The bytes as the runtime knows them.
    ///
    /// # Errors
    /// Offsets beyond the buffer.
    pub(super) fn buffer(&self) -> Result<Buffer, LaunchError> {
        let (size, start, end) = (self.buffer.size(), self.start(), self.end());
        if start.saturating_add(end) > size {
            return Err(LaunchError::of_user(format!(
                "a handle without its first {start} and last {end} bytes is asked for, and the buffer has {size} bytes: give offsets inside it"
            )));
        }
        Ok(self.buffer.slice(start..size - end)?)
    }

    /// Marks what a failed launch would have written.
    pub(super) fn mark_failed(&self, error: &LaunchError) {
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
    }

    /// A later write makes the bytes good again.
    pub(super) fn mark_good(&self) {
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Why the bytes are not what they should be.
    pub(super) fn failure(&self) -> Option<LaunchError> {
        self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
