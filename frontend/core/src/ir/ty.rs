//! Types of values and memory, as the text of the dialect spells them.
/// The type of one element.
pub use cube_target::Number as Elem;
use std::fmt;

/// The type of a value: one element, or a line of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// What an element is.
    pub elem: Elem,
    /// Elements of the line; 1 is a scalar.
    pub line: u32,
}

impl Ty {
    /// One element.
    pub fn scalar(elem: Elem) -> Self {
        Ty { elem, line: 1 }
    }

    /// The same line of other elements.
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

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemKind {
    /// Global, one dimension.
    Array,
    /// Global, with shape and strides.
    Tensor,
    /// Of the cube, with this many lines.
    Shared(u32),
    /// Of the unit, with this many lines.
    Local(u32),
    /// A range of another.
    Slice,
}

/// The type of a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemTy {
    /// Where it is.
    pub kind: MemKind,
    /// What a line of it is.
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
