//! Memory usage of a device.

/// Memory usage of a device, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryUsage {
    /// Number of live buffers.
    pub allocations: u64,
    /// Total requested size of the live buffers.
    pub used: u64,
    /// Bytes that live buffers occupy beyond their requested sizes, for alignment.
    pub padding: u64,
    /// Bytes of released buffers that queued work can still use.
    pub pending: u64,
    /// Bytes that are reserved from the driver or the operating system, including free blocks.
    pub reserved: u64,
}

impl MemoryUsage {
    /// Reserved bytes that requests can use immediately, possibly in several blocks.
    pub fn free(&self) -> u64 {
        self.reserved - self.used - self.padding - self.pending
    }
}

impl std::fmt::Display for MemoryUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes used, {} free, {} reserved", self.used, self.free(), self.reserved)
    }
}
