//! The wgpu buffer through which the host reads; each read reuses this buffer.

/// Maximum bytes of one step; a larger copy consists of several steps. The size of a step limits the host
/// memory that a copy needs.
pub(crate) const STEP: u64 = 64 << 20;

/// The buffer that is stored for the next read, if one exists.
#[derive(Default)]
pub(crate) struct Staging(Option<wgpu::Buffer>);

impl Staging {
    /// Returns the stored buffer if it has at least `size` bytes, otherwise a new buffer.
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

    /// Stores `buffer` for the next read, unless the stored buffer is larger.
    pub fn keep(&mut self, buffer: wgpu::Buffer) {
        if self.0.as_ref().is_none_or(|kept| kept.size() < buffer.size()) {
            self.0 = Some(buffer);
        }
    }
}
