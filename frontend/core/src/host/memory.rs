//! Device memory: descriptors, allocations and usage.
use super::Handle;
use super::arguments::LaunchError;

/// Placement of a tensor's rows in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationKind {
    /// The rows follow each other without gaps.
    Contiguous,
    /// The layout that the device reads fastest. On all supported devices, the layout `Optimized` equals
    /// `Contiguous`.
    Optimized,
}

/// Description of a tensor to allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationDescriptor<'a> {
    /// Placement of the rows in memory.
    pub kind: AllocationKind,
    /// Number of elements along each dimension.
    pub shape: &'a [usize],
    /// Size of an element in bytes.
    pub elem_size: usize,
}

impl<'a> AllocationDescriptor<'a> {
    /// Describes a tensor with the given shape.
    pub fn new(kind: AllocationKind, shape: &'a [usize], elem_size: usize) -> Self {
        AllocationDescriptor { kind, shape, elem_size }
    }
    /// Describes a tensor in the layout that the device reads fastest.
    pub fn optimized(shape: &'a [usize], elem_size: usize) -> Self {
        Self::new(AllocationKind::Optimized, shape, elem_size)
    }
    /// Describes a tensor whose rows have no gaps between them.
    pub fn contiguous(shape: &'a [usize], elem_size: usize) -> Self {
        Self::new(AllocationKind::Contiguous, shape, elem_size)
    }

    /// Size of the tensor in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.elem_size
    }
}

/// Allocated memory of a tensor.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Handle to the tensor's memory.
    pub handle: Handle,
    /// Stride of each dimension, in elements.
    pub strides: Vec<usize>,
}

/// The strides, in elements, of a row-major tensor without gaps.
pub fn contiguous_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    strides
}

/// Copies the elements of a tensor to row-major order.
///
/// # Errors
/// The tensor exceeds its memory, or the ranks of shape and strides differ.
pub(super) fn to_row_major(
    bytes: &[u8],
    shape: &[usize],
    strides: &[usize],
    elem_size: usize,
) -> Result<Vec<u8>, LaunchError> {
    let reject = |reason: String| {
        LaunchError::of_user(format!("a tensor of shape {shape:?} and strides {strides:?} cannot be read: {reason}"))
    };
    if shape.len() != strides.len() {
        return Err(reject("pass as many strides as dimensions".into()));
    }
    let count: usize = shape.iter().product();
    let last = shape.iter().zip(strides).map(|(n, stride)| n.saturating_sub(1) * stride).sum::<usize>();
    let needed = if count == 0 { 0 } else { (last + 1) * elem_size };
    if needed > bytes.len() {
        return Err(reject(format!("it ends at byte {needed}, but its memory has {} bytes", bytes.len())));
    }
    if strides == contiguous_strides(shape) {
        return Ok(bytes[..count * elem_size].to_vec());
    }
    let mut out = Vec::with_capacity(count * elem_size);
    for number in 0..count {
        let (mut left, mut at) = (number, 0);
        for (n, stride) in shape.iter().zip(strides).rev() {
            at += left % n * stride;
            left /= n;
        }
        out.extend_from_slice(&bytes[at * elem_size..(at + 1) * elem_size]);
    }
    Ok(out)
}

/// Memory usage of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// Number of live buffers.
    pub number_allocs: u64,
    /// Sum of the live buffers' sizes in bytes.
    pub bytes_in_use: u64,
    /// Bytes that alignment adds to the requested sizes.
    pub bytes_padding: u64,
    /// Bytes that the pool has reserved from the driver or the system, including the pool's free memory.
    pub bytes_reserved: u64,
}

impl MemoryUsage {
    /// The sum of two memory usages.
    pub fn combine(&self, other: MemoryUsage) -> MemoryUsage {
        MemoryUsage {
            number_allocs: self.number_allocs + other.number_allocs,
            bytes_in_use: self.bytes_in_use + other.bytes_in_use,
            bytes_padding: self.bytes_padding + other.bytes_padding,
            bytes_reserved: self.bytes_reserved + other.bytes_reserved,
        }
    }
}

impl std::fmt::Display for MemoryUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MemoryUsage { number_allocs, bytes_in_use, bytes_padding, bytes_reserved } = self;
        write!(
            f,
            "{number_allocs} buffers of {bytes_in_use} bytes, {bytes_padding} bytes of padding, {bytes_reserved} bytes reserved"
        )
    }
}

impl From<cube_runtime::MemoryUsage> for MemoryUsage {
    fn from(usage: cube_runtime::MemoryUsage) -> Self {
        MemoryUsage {
            number_allocs: usage.allocations,
            bytes_in_use: usage.used,
            bytes_padding: usage.padding,
            bytes_reserved: usage.reserved,
        }
    }
}
