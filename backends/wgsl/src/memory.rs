//! Memory as arrays of WGSL.
//!
//! A line of 2 lanes, or of a multiple of 4 lanes, is stored as WGSL vectors. A load or store of the line moves whole
//! vectors. If one operation accesses an array atomically, the array is atomic for all operations, as WGSL requires.
//! The host stores a bool as a byte. WGSL has no bytes, so a word contains 4 bools. A store of a bool changes one byte
//! of the word with two atomic operations. Concurrent stores to the other bytes are therefore preserved.
use crate::scalar::{Scalar, as_word, word};
use cube_dialect::{Combine, ops};
use cube_ir::access::Access;
use cube_ir::{MemRef, Val};
use cube_structured::Layout;

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
    pub layout: Layout,
    /// The storage of the elements in the WGSL array.
    pub form: ElementStorage,
}

/// The representation of a buffer's elements in WGSL.
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
        let scalar = Scalar::of(MemRef::of(memory.ty())?.line).filter(|scalar| *scalar != Scalar::Short)?;
        let (layout, all) = Layout::of(memory, |_| scalar == Scalar::Byte)?;
        let kinds = |searched: &[Combine]| {
            let kind = |access: &Access<'_>| ops::AtomicRmw::of(access.op).and_then(|op| op.kind());
            all.iter().filter_map(kind).any(|kind| searched.contains(&kind))
        };
        let signed = kinds(&[Combine::MinSI, Combine::MaxSI]) && !kinds(&[Combine::MinUI, Combine::MaxUI]);
        let form = match layout.has_atomics {
            true if scalar == Scalar::Half => return None,
            true => ElementStorage::Atomic { signed },
            false if layout.has_bytes => ElementStorage::Bytes { atomic: layout.is_atomic },
            false => ElementStorage::Plain,
        };
        Some(Array { name, scalar, layout, form })
    }

    /// Type of the array in the generated WGSL.
    pub fn ty(&self) -> String {
        let scalar = self.scalar.wgsl();
        let element = match (self.form, self.layout.lanes) {
            (ElementStorage::Plain, 1) | (ElementStorage::Bytes { atomic: false }, _) => scalar.to_string(),
            (ElementStorage::Plain, lanes) => format!("vec{lanes}<{scalar}>"),
            (ElementStorage::Atomic { signed: true }, _) => "atomic<i32>".into(),
            (ElementStorage::Atomic { signed: false }, _) | (ElementStorage::Bytes { atomic: true }, _) => {
                "atomic<u32>".into()
            }
        };
        match self.layout.elements() {
            Some(elements) => format!("array<{element}, {elements}>"),
            None => format!("array<{element}>"),
        }
    }

    /// The size in bytes of an allocation of a cube or of a unit; 0 for buffers.
    pub fn bytes(&self) -> u64 {
        self.layout.bytes(self.scalar.bytes())
    }

    /// Number of lines as a literal, for shared or local memory.
    pub fn length(&self) -> Option<String> {
        self.layout.lines.map(|lines| format!("{lines}u"))
    }

    /// The index of the element that contains a lane, counted from the line at `index`.
    pub fn element_index(&self, index: &str, lane: u64) -> String {
        let (stride, offset) = self.layout.stride(lane);
        if let Some(element_index) = as_word(index).and_then(|index| (u64::from(index) * stride).checked_add(offset)) {
            let element_index = u32::try_from(element_index).unwrap_or(u32::MAX);
            // A constant index outside of the array is only in code that never runs, but WGSL refuses such a constant.
            // naga also has a limit for arrays without a length.
            let inside = u64::from(element_index) < self.layout.elements().unwrap_or(i32::MAX as u64);
            return if inside { word(element_index) } else { Scalar::Word.at_run_time(&word(element_index)) };
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
        format!("&{}[{}]", self.name, self.element_index(index, 0))
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
