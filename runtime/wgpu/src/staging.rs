//! The buffer that the host reads, reused for the next read.

/// Maximum bytes of one step of a large copy. This size bounds the host memory of a copy.
pub(crate) const STEP: u64 = 64 << 20;

/// The buffer that is kept for the next read, if one exists.
#[derive(Default)]
pub(crate) struct Staging(Option<wgpu::Buffer>);

impl Staging {
    /// A buffer of at least this size.
    pub fn take(&mut self, device: &wgpu::Device, size: u64) -> wgpu::Buffer {
        match self.0.take() {
            Some(kept) if kept.size() >= size => kept,
            _ => device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read by the host"),
                size: size.next_power_of_two().clamp(4096, STEP),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        }
    }

    /// Keeps the larger of the two buffers for the next read.
    pub fn keep(&mut self, buffer: wgpu::Buffer) {
        if self.0.as_ref().is_none_or(|kept| kept.size() < buffer.size()) {
            self.0 = Some(buffer);
        }
    }
}
