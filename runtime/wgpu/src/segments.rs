//! Buffers of wgpu as segments of the memory pool.
//!
//! Each block of the pool is a separate wgpu buffer. WebGPU forbids a launch that reads one part of a buffer and
//! writes another part of the same buffer. Two allocations therefore never share a wgpu buffer.
//! `docs/why/wgpu.md` has the reasons.
use crate::context::{Context, lock};
use crate::stream::Stream;
use cube_runtime::RuntimeError;
use cube_runtime::pool::{Heap, PoolPolicy};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment of an allocation in bytes. Every allocation begins at the start of a wgpu buffer, and drivers align
/// buffers at least to this value.
pub(crate) const BUFFER_ALIGNMENT: u32 = 256;

/// The wgpu usages that a buffer needs for kernels and copies.
pub(crate) const USAGES: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST)
    .union(wgpu::BufferUsages::INDIRECT);

/// A wgpu buffer with a number that is unique in this program.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub number: u64,
    pub buffer: wgpu::Buffer,
    /// The address of the first byte on the device, if kernels access buffers by addresses.
    pub address: Option<u64>,
}

impl Segment {
    /// Creates a segment from a wgpu buffer.
    pub fn new(buffer: wgpu::Buffer) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Segment { number: NEXT.fetch_add(1, Ordering::Relaxed), buffer, address: None }
    }
}

/// The source of segments that allocates wgpu buffers.
pub(crate) struct Segments<'a> {
    pub context: &'a Context,
    pub stream: &'a Mutex<Stream>,
}

impl Heap for Segments<'_> {
    type Segment = Segment;
    type Error = RuntimeError;
    // wgpu clears a buffer before its first use, except a buffer that it has not created.
    const ZEROED: bool = true;

    fn reserve(&mut self, bytes: u64) -> Result<Segment, RuntimeError> {
        #[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
        if self.context.addresses {
            // wgpu binds a buffer with the usage `INDIRECT` for its checks, which limits the size of the buffer.
            let usages = USAGES.difference(wgpu::BufferUsages::INDIRECT);
            let (buffer, address) = crate::addresses::create(self.context, bytes, usages)?;
            if !address.is_multiple_of(BUFFER_ALIGNMENT.into()) {
                let why =
                    format!("a buffer begins at the address {address:#x}, and not at a multiple of {BUFFER_ALIGNMENT}");
                return Err(RuntimeError::new(cube_runtime::ErrorKind::Driver, why));
            }
            lock(self.stream).encoder(&self.context.device).clear_buffer(&buffer, 0, None);
            return Ok(Segment { address: Some(address), ..Segment::new(buffer) });
        }
        let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage: USAGES, mapped_at_creation: false };
        self.context.checked(|| Ok(Segment::new(self.context.device.create_buffer(&descriptor))))
    }

    fn release(&mut self, segment: Segment) {
        // The buffer is destroyed explicitly, because bind groups in the caches of kernels still refer to it.
        segment.buffer.destroy();
    }

    fn is_complete(&mut self, _event: u64) -> bool {
        // This method is never called, because blocks are released in the order of the queue, and not with events.
        true
    }

    fn wait(&mut self) -> bool {
        // This call can only fail if the device is lost. The next call then reports the loss.
        lock(self.stream).flush(self.context).and_then(|()| self.context.wait(None)).is_ok()
    }
}

/// A source of segments that does not call wgpu. The drop of a buffer uses this source.
pub(crate) struct NoHeap;

impl Heap for NoHeap {
    type Segment = Segment;
    type Error = ();
    const ZEROED: bool = true;

    fn reserve(&mut self, _bytes: u64) -> Result<Segment, ()> {
        Err(())
    }

    fn release(&mut self, _segment: Segment) {}

    fn is_complete(&mut self, _event: u64) -> bool {
        true
    }

    fn wait(&mut self) -> bool {
        true
    }
}

/// The policy of a pool that reserves at most `limit` bytes. Every block is a separate segment.
pub(crate) fn policy(limit: u64) -> PoolPolicy {
    let granule = u64::from(BUFFER_ALIGNMENT);
    PoolPolicy { small: 0, medium: 0, large_granule: granule, ..PoolPolicy::new(granule, limit) }
}
