//! Overlapping shared allocations. The interpreter stores the bytes of each allocation separately. A write to one
//! allocation is copied to the overlapping allocations. The copied bytes count as unwritten in the other allocations,
//! so a later read of them is reported.
use super::Buffer;
use crate::program::Program;
use std::ops::Range;

/// A buffer that overlaps another buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    /// The number of the other buffer.
    pub buffer: usize,
    /// The difference between the offset of a byte in the other buffer and its offset in this buffer.
    pub shift: i64,
}

impl Overlap {
    /// The lines of `other` that contain the bytes `bytes` of this buffer.
    pub fn lines(self, other: &Buffer, bytes: &Range<usize>) -> Range<u64> {
        let line = (other.size * other.line).max(1) as i64;
        let [start, end] = [bytes.start, bytes.end].map(|at| (at as i64 + self.shift).max(0));
        let last = (end + line - 1) / line;
        (start / line) as u64..(last as u64).min(other.lines)
    }
}

/// Finds overlapping buffers. Elements of a ring have other sizes than the kernel's elements, so buffers of ring
/// elements never overlap.
pub(crate) fn find_overlaps(program: &Program, buffers: &mut [Buffer]) {
    let offset = |number: usize| program.buffers[number].as_ref().and_then(|decl| decl.offset);
    let planned: Vec<(usize, u64)> =
        (0..buffers.len()).filter_map(|number| Some((number, offset(number)?))).filter(|_| !program.ring).collect();
    for (number, start) in &planned {
        let end = start + buffers[*number].bytes.len() as u64;
        let overlaps = planned.iter().filter(|(other, from)| {
            other != number && *from < end && *start < from + buffers[*other].bytes.len() as u64
        });
        let overlap = |(other, from): &(usize, u64)| Overlap { buffer: *other, shift: *start as i64 - *from as i64 };
        buffers[*number].overlaps = overlaps.map(overlap).collect();
    }
}

/// Copies the bytes `bytes` of a buffer to the overlapping buffers.
pub(crate) fn copy_to_overlaps(buffers: &mut [Buffer], from: usize, bytes: &Range<usize>) {
    let written = buffers[from].bytes[bytes.clone()].to_vec();
    for overlap in buffers[from].overlaps.clone() {
        let other = &mut buffers[overlap.buffer].bytes;
        for (byte, at) in written.iter().zip(bytes.start as i64 + overlap.shift..) {
            if let Some(place) = usize::try_from(at).ok().and_then(|at| other.get_mut(at)) {
                *place = *byte;
            }
        }
    }
}
