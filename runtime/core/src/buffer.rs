//! Handles to device memory.
use crate::error::RuntimeError;
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// One memory allocation of a device. [`Buffer::storage`] returns an allocation as the device's own type.
pub trait Storage: Any + Send + Sync {
    /// Size of the allocation in bytes.
    fn size(&self) -> u64;
}

/// A range of bytes of one allocation. Clones of a buffer share the allocation; dropping the last clone frees
/// it.
#[derive(Clone)]
pub struct Buffer {
    storage: Arc<dyn Storage>,
    range: Range<u64>,
}

/// The identity of an allocation. It does not keep the allocation's memory, and no later allocation has it.
#[derive(Clone)]
pub struct AllocationId {
    /// The address of the allocation's description, which is not used again while a weak reference exists.
    address: usize,
    _kept: Weak<dyn Storage>,
}

impl Buffer {
    /// Creates a buffer that contains the complete allocation; devices call this function.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        let range = 0..storage.size();
        Buffer { storage, range }
    }

    /// Size of the buffer in bytes.
    #[inline]
    pub fn size(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// First byte of the buffer in its allocation.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.range.start
    }

    /// The byte behind the buffer in its allocation.
    #[inline]
    pub fn end(&self) -> u64 {
        self.range.end
    }

    /// A part of the buffer; the range `bytes` is relative to the start of the buffer.
    ///
    /// # Errors
    /// The end of the range precedes its start, or is beyond the end of the buffer.
    pub fn slice(&self, bytes: Range<u64>) -> Result<Buffer, RuntimeError> {
        Ok(Buffer { range: self.part(bytes)?, storage: self.storage.clone() })
    }

    /// The first `bytes` bytes of the buffer, or the whole buffer if it is smaller.
    pub fn truncated(mut self, bytes: u64) -> Buffer {
        self.range.end = self.range.end.min(self.range.start.saturating_add(bytes));
        self
    }

    fn part(&self, bytes: Range<u64>) -> Result<Range<u64>, RuntimeError> {
        if bytes.start > bytes.end || bytes.end > self.size() {
            return Err(RuntimeError::user(format!(
                "bytes {}..{} are not within a buffer of {} bytes; use a range inside the buffer",
                bytes.start,
                bytes.end,
                self.size()
            )));
        }
        Ok(self.range.start + bytes.start..self.range.start + bytes.end)
    }

    /// The range of bytes, relative to the start of the allocation, for `len` bytes from byte `offset` of this buffer.
    /// Devices use this range for reads and writes.
    ///
    /// # Errors
    /// The range ends beyond the end of the buffer.
    pub fn range_of(&self, offset: u64, len: u64) -> Result<Range<u64>, RuntimeError> {
        let end = offset.checked_add(len).filter(|&end| end <= self.size());
        let end = end.ok_or_else(|| {
            RuntimeError::user(format!(
                "{len} bytes from offset {offset} exceed a buffer of {} bytes: copy fewer bytes, or allocate a larger buffer",
                self.size()
            ))
        })?;
        Ok(self.range.start + offset..self.range.start + end)
    }

    /// The identity of the buffer's allocation.
    pub fn allocation_id(&self) -> AllocationId {
        AllocationId { address: self.address(), _kept: Arc::downgrade(&self.storage) }
    }

    /// Whether the buffer belongs to the allocation.
    pub fn is_of(&self, allocation: &AllocationId) -> bool {
        self.address() == allocation.address
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.storage).cast::<()>().addr()
    }

    /// The allocation as the device's own type `T`; `None` if another kind of device allocated the buffer.
    #[inline]
    pub fn storage<T: Storage>(&self) -> Option<&T> {
        let any: &dyn Any = &*self.storage;
        any.downcast_ref()
    }

    /// The allocation as the device's own type `T`, which the reference keeps. `None` if another kind of device allocated the buffer.
    #[inline]
    pub fn shared_storage<T: Storage>(&self) -> Option<Arc<T>> {
        let any: Arc<dyn Any + Send + Sync> = self.storage.clone();
        any.downcast().ok()
    }

    /// Whether this buffer and `other` are the same bytes of the same allocation.
    #[inline]
    pub fn same_bytes(&self, other: &Buffer) -> bool {
        self.same_allocation(other) && self.range == other.range
    }

    /// Whether the two buffers have a byte in common.
    #[inline]
    pub fn overlaps(&self, other: &Buffer) -> bool {
        let start = self.range.start.max(other.range.start);
        let end = self.range.end.min(other.range.end);
        start < end && self.same_allocation(other)
    }

    /// Whether both buffers belong to one allocation.
    #[inline]
    pub fn same_allocation(&self, other: &Buffer) -> bool {
        // Compares only the addresses, because two references to one allocation can have different vtable pointers.
        std::ptr::addr_eq(Arc::as_ptr(&self.storage), Arc::as_ptr(&other.storage))
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({}..{} of {} bytes)", self.range.start, self.range.end, self.storage.size())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An allocation without a device, for tests.
    pub struct NoMemory(pub u64);

    impl Storage for NoMemory {
        fn size(&self) -> u64 {
            self.0
        }
    }

    /// A buffer without memory. Tests of the rules for arguments of a launch use this buffer.
    pub fn buffer(bytes: u64) -> Buffer {
        Buffer::new(Arc::new(NoMemory(bytes)))
    }

    #[test]
    fn nested_slice_offsets_are_relative_to_the_parent() {
        let inner = buffer(100).slice(10..90).unwrap().slice(5..25).unwrap();
        assert_eq!((inner.offset(), inner.size()), (15, 20));
        assert_eq!(inner.range_of(4, 16).unwrap(), 19..35);
        let error = inner.range_of(4, 17).unwrap_err();
        assert!(error.message.contains("17 bytes from offset 4 exceed a buffer of 20 bytes"), "{error}");
        assert!(inner.range_of(u64::MAX, 2).is_err());
        let few = [0, 7, 20, 21, u64::MAX].map(|bytes| inner.clone().truncated(bytes));
        assert_eq!(few.map(|part| (part.offset(), part.size())), [(15, 0), (15, 7), (15, 20), (15, 20), (15, 20)]);
    }

    #[test]
    fn ranges_outside_are_refused() {
        #[allow(clippy::reversed_empty_ranges)]
        for range in [0..101, 101..101, 7..3] {
            let error = buffer(100).slice(range).unwrap_err();
            assert!(error.message.contains("not within a buffer of 100 bytes"), "{error}");
        }
    }

    #[test]
    fn no_later_allocation_has_the_identity_of_an_earlier_one() {
        let first = buffer(8);
        let id = first.slice(0..4).unwrap().allocation_id();
        assert!(first.is_of(&id) && first.slice(4..8).unwrap().is_of(&id) && !buffer(8).is_of(&id));
        drop(first);
        assert!((0..100).map(|_| buffer(8)).all(|later| !later.is_of(&id)));
    }

    #[test]
    fn overlap_needs_a_common_byte_of_one_allocation() {
        let whole = buffer(100);
        let part = |range| whole.slice(range).unwrap();
        assert!(part(0..50).overlaps(&part(49..60)));
        assert!(!part(0..50).overlaps(&part(50..60)));
        assert!(!part(10..10).overlaps(&part(0..50)));
        assert!(!whole.overlaps(&buffer(100)));
        assert!(part(3..7).same_bytes(&part(3..7)) && !part(3..7).same_bytes(&part(3..8)));
    }
}
