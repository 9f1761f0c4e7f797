//! Memory as arrays of a shading language.
use crate::{Scalar, accesses_to};
use cube_dialect::{Memory, memory_of};
use cube_ir::access::Access;
use cube_ir::{AttrExt, MemRef, TypeExt, Val};

/// The layout of the array of a memref. A line of 2 lanes, or of a multiple of 4, is stored as vectors, so a load or
/// store is as wide as the line. If one operation accesses an array atomically, all operations access it atomically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The type of a lane.
    pub scalar: Scalar,
    /// Lanes of a line.
    pub line: u64,
    /// Lanes of an element: 1, 2 or 4.
    pub lanes: u64,
    /// Whether the elements are bytes for the host, and the language stores four elements in one word.
    pub has_bytes: bool,
    /// Whether all accesses are atomic.
    pub is_atomic: bool,
    /// Whether the kernel accesses the elements by atomic operations.
    pub has_atomics: bool,
    /// The number of lines, if the type states this number.
    pub lines: Option<u64>,
    /// The number of bits by which an index of the kernel is shifted: more than 0 if the array consists of vectors, but the
    /// kernel's buffer of scalars.
    pub shift: u32,
}

impl Layout {
    /// The layout of a memref, with its accesses; `None` for elements without a [`Scalar`]. `is_narrow` is true if the
    /// language stores lanes of the type in words.
    pub fn of(memory: Val<'_>, is_narrow: impl Fn(Scalar) -> bool) -> Option<(Layout, Vec<Access<'_>>)> {
        let memref = MemRef::of(memory.ty())?;
        let (scalar, line, all) = (Scalar::of(memref.line)?, memref.line.element_count(), accesses_to(memory));
        let has_bytes = memory_of(memory) == Memory::Global && is_narrow(scalar);
        let has_atomics = all.iter().any(|access| access.kind.is_atomic());
        let is_atomic = has_atomics || has_bytes && all.iter().any(|access| access.kind.writes());
        let lanes = match line {
            _ if is_atomic || has_bytes => 1,
            2 => 2,
            line if line.is_multiple_of(4) => 4,
            _ => 1,
        };
        let lines = memref.length;
        let shift = 0;
        Some((Layout { scalar, line, lanes, has_bytes, is_atomic, has_atomics, lines, shift }, all))
    }

    /// The lanes of a vector in an aligned access to several neighbouring lines of one lane, 2 or 4; `None` for other
    /// accesses.
    pub fn vector_lanes(&self, access: &Access<'_>) -> Option<u64> {
        let is_plain = self.line == 1 && !self.is_atomic && !self.has_bytes && !self.has_atomics;
        let (bytes, elements) = (u64::from(self.scalar.bits() / 8), access.elements()?);
        let alignment = u64::try_from(access.op.attr("alignment")?.as_int()?).ok()?;
        let fits = |lanes: &u64| elements.is_multiple_of(*lanes) && alignment.is_multiple_of(lanes * bytes);
        [4, 2].into_iter().find(fits).filter(|_| is_plain && bytes != 0)
    }

    /// The layout of the same buffer as an array of vectors.
    pub fn of_vectors(&self, lanes: u64) -> Layout {
        Layout { line: lanes, lanes, lines: None, shift: lanes.ilog2(), ..*self }
    }

    /// The number of elements, if the type states the number of lines; at least 1, because no language has
    /// empty arrays.
    pub fn elements(&self) -> Option<u64> {
        self.lines.map(|lines| (lines.saturating_mul(self.line) / self.lanes).max(1))
    }

    /// The size in bytes of an allocation of a cube or unit, where each lane has `lane` bytes; 0 for buffers.
    pub fn bytes(&self, lane: u64) -> u64 {
        self.elements().map_or(0, |elements| elements.saturating_mul(self.lanes * lane))
    }

    /// The number of elements of a line, and the index of the element that contains lane number `lane`.
    pub fn stride(&self, lane: u64) -> (u64, u64) {
        (self.line / self.lanes, lane / self.lanes)
    }
}
