//! Types of values and memory, as the text of the dialect spells them.
use cube_artifact::ElemType;
use std::fmt;

/// The type of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Elem {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    /// A float of at least 16 bits, computed as `f32`.
    Flex32,
    /// A storage type: `f32` with 10 bits of mantissa.
    TF32,
    /// A storage type of 8 bits.
    E4M3,
    /// A storage type of 8 bits.
    E5M2,
}

impl Elem {
    /// The signless type of the IR.
    pub fn mlir(self) -> &'static str {
        match self {
            Elem::Bool => "i1",
            Elem::I8 | Elem::U8 => "i8",
            Elem::I16 | Elem::U16 => "i16",
            Elem::I32 | Elem::U32 => "i32",
            Elem::I64 | Elem::U64 => "i64",
            Elem::F16 => "f16",
            Elem::BF16 => "bf16",
            Elem::F32 | Elem::Flex32 => "f32",
            Elem::F64 => "f64",
            Elem::TF32 => "tf32",
            Elem::E4M3 => "f8E4M3FN",
            Elem::E5M2 => "f8E5M2",
        }
    }

    /// The name users write.
    pub fn name(self) -> &'static str {
        match self {
            Elem::Flex32 => "flex32",
            Elem::TF32 => "tf32",
            Elem::E4M3 => "e4m3",
            Elem::E5M2 => "e5m2",
            other => other.host().name(),
        }
    }

    /// How the host stores it.
    pub fn host(self) -> ElemType {
        match self {
            Elem::Bool => ElemType::Bool,
            Elem::I8 => ElemType::I8,
            Elem::I16 => ElemType::I16,
            Elem::I32 => ElemType::I32,
            Elem::I64 => ElemType::I64,
            Elem::U8 | Elem::E4M3 | Elem::E5M2 => ElemType::U8,
            Elem::U16 => ElemType::U16,
            Elem::U32 => ElemType::U32,
            Elem::U64 => ElemType::U64,
            Elem::F16 => ElemType::F16,
            Elem::BF16 => ElemType::BF16,
            Elem::F32 | Elem::Flex32 | Elem::TF32 => ElemType::F32,
            Elem::F64 => ElemType::F64,
        }
    }

    /// Bits of the value.
    pub fn bits(self) -> u32 {
        match self {
            Elem::Bool => 1,
            other => other.host().size() as u32 * 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        use Elem::*;
        matches!(self, F16 | BF16 | F32 | F64 | Flex32 | TF32 | E4M3 | E5M2)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64)
    }

    /// Whether it is an integer.
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Elem::Bool
    }
}

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
