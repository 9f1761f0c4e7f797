//! Types of values and memory, in the dialect's syntax.
/// The type of one element.
pub use cube_target::Number as Elem;
use std::fmt;

/// The type of a value: a scalar or a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// The element type.
    pub elem: Elem,
    /// Number of elements of the line; 1 for a scalar.
    pub line: u32,
}

impl Ty {
    /// The type of a scalar.
    pub fn scalar(elem: Elem) -> Self {
        Ty { elem, line: 1 }
    }

    /// The type with this line size and the element type `elem`.
    pub fn with(self, elem: Elem) -> Self {
        Ty { elem, ..self }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            1 => f.write_str(self.elem.mlir()),
            n => write!(f, "vector<{n}x{}>", self.elem.mlir()),
        }
    }
}

/// The kind of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemKind {
    /// Global memory of one dimension.
    Array,
    /// Global memory with shape and strides.
    Tensor,
    /// Shared memory of the cube, with its length in lines.
    Shared(u32),
    /// Local memory of the unit, with its length in lines.
    Local(u32),
    /// A range of an allocation.
    Slice,
}

/// The type of an allocation or a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemTy {
    /// The kind of memory.
    pub kind: MemKind,
    /// The type of the memory's lines.
    pub ty: Ty,
}

impl fmt::Display for MemTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elem, line) = (self.ty.elem.mlir(), self.ty.line);
        let line = if line == 1 { String::new() } else { format!(", {line}") };
        match self.kind {
            MemKind::Array => write!(f, "!cube.array<{elem}{line}>"),
            MemKind::Tensor => write!(f, "!cube.tensor<{elem}{line}>"),
            MemKind::Shared(n) => write!(f, "!cube.shared<{n} x {elem}{line}>"),
            MemKind::Local(n) => write!(f, "!cube.local<{n} x {elem}{line}>"),
            MemKind::Slice => write!(f, "!cube.slice<{elem}{line}>"),
        }
    }
}
