//! Memory of a device: what is asked for, what is given, and how much is in use.
use super::Handle;
use super::arguments::LaunchError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the rows of a tensor lie in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationKind {
    /// One after the other.
    Contiguous,
    /// As the device reads them fastest. All devices read rows without gaps as fast as others: the same as `Contiguous`.
    Optimized,
}

/// A tensor that is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationDescriptor<'a> {
    /// How it lies in memory.
    pub kind: AllocationKind,
    /// Elements along each dimension.
    pub shape: &'a [usize],
    /// Bytes of an element.
    pub elem_size: usize,
}

impl<'a> AllocationDescriptor<'a> {
    /// A tensor of that shape.
    pub fn new(kind: AllocationKind, shape: &'a [usize], elem_size: usize) -> Self {
        AllocationDescriptor { kind, shape, elem_size }
    }
    /// One that lies as the device reads it fastest.
    pub fn optimized(shape: &'a [usize], elem_size: usize) -> Self {
        Self::new(AllocationKind::Optimized, shape, elem_size)
    }
    /// One without gaps.
    pub fn contiguous(shape: &'a [usize], elem_size: usize) -> Self {
        Self::new(AllocationKind::Contiguous, shape, elem_size)
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.elem_size
    }
}

/// Memory for a tensor.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The memory.
    pub handle: Handle,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<usize>,
}

/// Elements between neighbours of a tensor without gaps.
pub fn contiguous_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    strides
}

/// The elements of a tensor in the order of their coordinates.
///
/// # Errors
/// It reaches beyond its memory, or has a shape and strides that do not belong together.
pub(super) fn gathered(
    bytes: &[u8],
    shape: &[usize],
    strides: &[usize],
    elem_size: usize,
) -> Result<Vec<u8>, LaunchError> {
    let refuse = |why: String| {
        LaunchError::of_user(format!(
            "a tensor of the shape {shape:?} and the strides {strides:?} cannot be read: {why}"
        ))
    };
    if shape.len() != strides.len() {
        return Err(refuse("it needs as many strides as dimensions".into()));
    }
    let count: usize = shape.iter().product();
    let last = shape.iter().zip(strides).map(|(n, stride)| n.saturating_sub(1) * stride).sum::<usize>();
    let needed = if count == 0 { 0 } else { (last + 1) * elem_size };
    if needed > bytes.len() {
        return Err(refuse(format!("it ends at byte {needed}, and its memory has {}", bytes.len())));
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

/// Memory that the handles of a device hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// Buffers.
    pub number_allocs: u64,
    /// Their bytes.
    pub bytes_in_use: u64,
    /// Bytes between them; devices give what is asked for.
    pub bytes_padding: u64,
    /// Bytes that the device has given. It takes them back with the last handle, and keeps none.
    pub bytes_reserved: u64,
}

impl MemoryUsage {
    /// The two together.
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
            "{number_allocs} buffers of {bytes_in_use} bytes, {bytes_padding} between them, {bytes_reserved} in all"
        )
    }
}

/// Counts the buffers of a device.
#[derive(Debug, Default)]
pub(super) struct Usage {
    buffers: AtomicU64,
    bytes: AtomicU64,
}

impl Usage {
    pub fn now(&self) -> MemoryUsage {
        let bytes = self.bytes.load(Ordering::Relaxed);
        MemoryUsage {
            number_allocs: self.buffers.load(Ordering::Relaxed),
            bytes_in_use: bytes,
            bytes_padding: 0,
            bytes_reserved: bytes,
        }
    }
}

/// A buffer that counts until this value is dropped.
#[derive(Debug)]
pub(super) struct Counted {
    usage: Arc<Usage>,
    bytes: u64,
}

impl Counted {
    pub fn new(usage: &Arc<Usage>, bytes: u64) -> Self {
        usage.buffers.fetch_add(1, Ordering::Relaxed);
        usage.bytes.fetch_add(bytes, Ordering::Relaxed);
        Counted { usage: usage.clone(), bytes }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.usage.buffers.fetch_sub(1, Ordering::Relaxed);
        self.usage.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
