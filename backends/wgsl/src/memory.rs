//! Memory as arrays of WGSL.
//!
//! A line is stored as WGSL vectors if its number of lanes is 2 or a multiple of 4. A load or store of the line
//! moves whole vectors. If one operation accesses an array atomically, the array is atomic for all operations, as
//! WGSL requires. The host stores a bool as a byte. WGSL has no bytes, so a word contains 4 bools. A store of a bool
//! changes one byte of the word by two atomic operations, so the bytes of other units do not change.
use crate::scalar::{Scalar, as_word, word};
use cube_dialect::{Combine, Memory, memory_of, ops};
use cube_ir::access::Access;
use cube_ir::{MemRef, TypeExt, Val};
use cube_structured::accesses_to;

/// A value as a map key that outlives the value.
pub fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// An array of the generated WGSL.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    /// The type of a lane.
    pub scalar: Scalar,
    /// Lanes of a line.
    line: u64,
    /// Lanes of an element of the array: 1, 2 or 4.
    pub lanes: u64,
    /// The storage of the elements.
    pub form: ElementStorage,
    /// Number of lines, if the memref type is static.
    lines: Option<u64>,
}

/// The storage of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementStorage {
    /// Numbers or vectors.
    Plain,
    /// Atomic numbers, signed if the kernel computes signed minima or maxima.
    Atomic { signed: bool },
    /// Words of four bytes each, atomic if the kernel stores to the array.
    Bytes { atomic: bool },
}

impl Array {
    /// The array of a memref; `None` for an element that WGSL lacks.
    pub fn of(memory: Val<'_>, name: String) -> Option<Array> {
        let memref = MemRef::of(memory.ty())?;
        let scalar = Scalar::of(memref.line).filter(|scalar| *scalar != Scalar::Short)?;
        let line = memref.line.element_count();
        let all = accesses_to(memory);
        let kinds = |wanted: &[Combine]| {
            let kind = |access: &Access<'_>| ops::AtomicRmw::of(access.op).and_then(|op| op.kind());
            all.iter().filter_map(kind).any(|kind| wanted.contains(&kind))
        };
        let signed = kinds(&[Combine::MinSI, Combine::MaxSI]) && !kinds(&[Combine::MinUI, Combine::MaxUI]);
        let form = match scalar {
            Scalar::Half if all.iter().any(|access| access.kind.is_atomic()) => return None,
            _ if all.iter().any(|access| access.kind.is_atomic()) => ElementStorage::Atomic { signed },
            Scalar::Byte if memory_of(memory) == Memory::Global => {
                ElementStorage::Bytes { atomic: all.iter().any(|access| access.kind.writes()) }
            }
            _ => ElementStorage::Plain,
        };
        let lanes = match (form, line) {
            (ElementStorage::Plain, 2) => 2,
            (ElementStorage::Plain, line) if line.is_multiple_of(4) => 4,
            _ => 1,
        };
        Some(Array { name, scalar, line, lanes, form, lines: memref.length })
    }

    /// Type of the array in the generated WGSL.
    pub fn ty(&self) -> String {
        let scalar = self.scalar.wgsl();
        let element = match (self.form, self.lanes) {
            (ElementStorage::Plain, 1) | (ElementStorage::Bytes { atomic: false }, _) => scalar.to_string(),
            (ElementStorage::Plain, lanes) => format!("vec{lanes}<{scalar}>"),
            (ElementStorage::Atomic { signed: true }, _) => "atomic<i32>".into(),
            (ElementStorage::Atomic { signed: false }, _) | (ElementStorage::Bytes { atomic: true }, _) => {
                "atomic<u32>".into()
            }
        };
        match self.elements() {
            Some(elements) => format!("array<{element}, {elements}>"),
            None => format!("array<{element}>"),
        }
    }

    /// Number of elements, if the memref type is static; at least 1, because WGSL forbids empty arrays.
    fn elements(&self) -> Option<u64> {
        self.lines.map(|lines| (lines.saturating_mul(self.line) / self.lanes).max(1))
    }

    /// Size in bytes, for shared or local memory.
    pub fn bytes(&self) -> u64 {
        self.elements().map_or(0, |elements| elements.saturating_mul(self.lanes * self.scalar.bytes()))
    }

    /// Number of lines as a literal, for shared or local memory.
    pub fn length(&self) -> Option<String> {
        self.lines.map(|lines| format!("{lines}u"))
    }

    /// The array index of lane number `lane` of the line at `index`, for an array whose elements have `of`
    /// lanes.
    pub fn place(&self, index: &str, lane: u64, of: u64) -> String {
        let (stride, offset) = (self.line / of, lane / of);
        if let Some(place) = as_word(index).and_then(|index| (u64::from(index) * stride).checked_add(offset)) {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            // A constant index outside of the array is only in code that never runs, but WGSL refuses such a constant. naga also has a
            // limit for arrays without a length.
            let inside = u64::from(place) < self.elements().unwrap_or(i32::MAX as u64);
            return if inside { word(place) } else { Scalar::Word.at_run_time(&word(place)) };
        }
        match (stride, offset) {
            (1, 0) => index.into(),
            (1, offset) => format!("{index} + {offset}u"),
            (stride, 0) => format!("{index} * {stride}u"),
            (stride, offset) => format!("{index} * {stride}u + {offset}u"),
        }
    }

    /// The pointer to the atomic number at an index.
    pub fn pointer(&self, index: &str) -> String {
        format!("&{}[{}]", self.name, self.place(index, 0, 1))
    }

    /// Whether the elements are signed.
    pub fn is_signed(&self) -> bool {
        self.form == ElementStorage::Atomic { signed: true }
    }

    /// Converts the value of a lane to the element type of the array. Atomic floats are stored as bits.
    pub fn number(&self, lane: &str) -> String {
        match (self.form, self.scalar) {
            (ElementStorage::Atomic { signed: true }, _) => format!("bitcast<i32>({lane})"),
            (ElementStorage::Atomic { .. }, Scalar::Float) => format!("bitcast<u32>({lane})"),
            _ => lane.into(),
        }
    }

    /// Converts a number of the array to the type of a lane.
    pub fn word(&self, number: &str) -> String {
        match (self.form, self.scalar) {
            (ElementStorage::Atomic { signed: true }, _) => format!("bitcast<u32>({number})"),
            (ElementStorage::Atomic { .. }, Scalar::Float) => format!("bitcast<f32>({number})"),
            _ => number.into(),
        }
    }
}
