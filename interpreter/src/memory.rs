//! Memory during a launch: the buffers of the host, and the shared memory of a cube. Local memory is stored in slots of
//! the unit.
mod overlaps;
mod plane_barriers;
mod shadow;

pub(crate) use overlaps::{Overlap, copy_to_overlaps, find_overlaps};
pub(crate) use plane_barriers::PlaneBarriers;
pub(crate) use shadow::{AccessingUnit, Race, Shadow, bytes_of_line};

#[derive(Debug)]
pub(crate) struct Buffer {
    pub bytes: Vec<u8>,
    /// Bytes of an element.
    pub size: usize,
    /// Elements of a line.
    pub line: usize,
    /// Lines of the memory.
    pub lines: u64,
    /// First slot of local memory, which has the same number in every unit.
    pub local: Option<u32>,
    /// Whether each cube has a separate copy of the memory.
    pub shared: bool,
    /// The shape that the host declares, in elements.
    pub shape: Vec<u64>,
    /// The stride of each dimension, in elements.
    pub strides: Vec<u64>,
    /// Recorded accesses of each line, if a finding is enabled.
    pub shadow: Option<Shadow>,
    /// Other buffers that overlap this buffer.
    pub overlaps: Vec<Overlap>,
}

impl Buffer {
    /// Memory of `lines` lines; `bytes` is empty for local memory.
    pub fn new(bytes: Vec<u8>, size: usize, line: usize, lines: u64) -> Buffer {
        let (shape, strides) = (vec![lines * line as u64], vec![1]);
        Buffer { bytes, size, line, lines, local: None, shared: false, shape, strides, shadow: None, overlaps: vec![] }
    }

    /// Number of lines, as the shape from the host declares it.
    pub fn len(&self) -> u64 {
        let elements = self.shape.iter().fold(1u64, |all, n| all.wrapping_mul(*n));
        elements / self.line.max(1) as u64
    }

    #[inline(always)]
    pub fn get(&self, element: usize) -> u64 {
        let at = element * self.size;
        macro_rules! read {
            ($type:ty) => {
                self.bytes[at..].first_chunk().map_or(0, |b| u64::from(<$type>::from_le_bytes(*b)))
            };
        }
        match self.size {
            1 => u64::from(self.bytes[at]),
            2 => read!(u16),
            4 => read!(u32),
            _ => read!(u64),
        }
    }

    /// Writes one element.
    #[inline(always)]
    pub fn set(&mut self, element: usize, value: u64) {
        let at = element * self.size;
        self.bytes[at..at + self.size].copy_from_slice(&value.to_le_bytes()[..self.size]);
    }
}
