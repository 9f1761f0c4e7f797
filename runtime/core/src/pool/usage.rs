//! Use of a device's memory.

/// Use of a device's memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryUsage {
    /// Number of live buffers.
    pub allocations: u64,
    /// Sum of the requested sizes of live buffers.
    pub used: u64,
    /// Bytes beyond the requested sizes, for alignment.
    pub padding: u64,
    /// Bytes of released buffers that queued work can still use.
    pub pending: u64,
    /// Bytes reserved from the driver or the system, free blocks included.
    pub reserved: u64,
}

impl MemoryUsage {
    /// Reserved bytes that a request can use at once, possibly in several blocks.
    pub fn free(&self) -> u64 {
        self.reserved - self.used - self.padding - self.pending
    }
}

impl std::fmt::Display for MemoryUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes used, {} free, {} reserved", self.used, self.free(), self.reserved)
    }
}
