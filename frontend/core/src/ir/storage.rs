//! Element types for host programs: `F::as_type_native()`.
use super::Elem;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An element type, with its storage in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StorageType {
    /// One element per memory word.
    Scalar(ElemType),
    /// Several elements per memory word: the element type and the number of elements.
    Packed(ElemType, u32),
    /// An element that is accessed atomically.
    Atomic(ElemType),
}

macro_rules! kinds {
    (
        bool { $bool:ident $($b:ident)*; }
        int { $($int:ident $i:ident $ie:ident $ih:ident $iw:ident;)* }
        uint { $($uint:ident $u:ident $ue:ident $uh:ident $uw:ident;)* }
        float { $($float:ident $f:ident $fe:ident $fh:ident $fw:ident;)* }
    ) => {
        /// An element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum ElemType {
            Float(FloatKind),
            Int(IntKind),
            UInt(UIntKind),
            Bool,
        }

        /// A floating-point type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum FloatKind { $($float),* }

        /// A signed integer type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum IntKind { $($int),* }

        /// An unsigned integer type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum UIntKind { $($uint),* }

        impl From<Elem> for ElemType {
            fn from(elem: Elem) -> Self {
                match elem {
                    Elem::$bool => ElemType::Bool,
                    $(Elem::$int => ElemType::Int(IntKind::$int),)*
                    $(Elem::$uint => ElemType::UInt(UIntKind::$uint),)*
                    $(Elem::$float => ElemType::Float(FloatKind::$float),)*
                }
            }
        }

        impl From<ElemType> for Elem {
            fn from(elem: ElemType) -> Self {
                match elem {
                    ElemType::Bool => Elem::$bool,
                    $(ElemType::Int(IntKind::$int) => Elem::$int,)*
                    $(ElemType::UInt(UIntKind::$uint) => Elem::$uint,)*
                    $(ElemType::Float(FloatKind::$float) => Elem::$float,)*
                }
            }
        }
    };
}

cube_target::numbers!(kinds);

impl From<ElemType> for StorageType {
    fn from(elem: ElemType) -> Self {
        StorageType::Scalar(elem)
    }
}

impl ElemType {
    /// Size in bytes.
    pub fn size(&self) -> usize {
        Elem::from(*self).host().size()
    }

    /// Size of an element in memory, in bits.
    pub fn size_bits(&self) -> usize {
        self.size() * 8
    }

    /// Whether the type is an integer type or `bool`.
    pub fn is_int(&self) -> bool {
        !self.is_float()
    }

    /// Whether the type is a signed integer type.
    pub fn is_signed_int(&self) -> bool {
        matches!(self, ElemType::Int(_))
    }

    /// Whether the type is an unsigned integer type or `bool`.
    pub fn is_unsigned_int(&self) -> bool {
        matches!(self, ElemType::UInt(_) | ElemType::Bool)
    }

    /// Whether the type is a floating-point type.
    pub fn is_float(&self) -> bool {
        matches!(self, ElemType::Float(_))
    }
}

impl StorageType {
    /// Number of elements in one word.
    pub fn packing_factor(&self) -> u32 {
        if let StorageType::Packed(_, count) = self { *count } else { 1 }
    }

    /// Whether accesses are atomic.
    pub fn is_atomic(&self) -> bool {
        matches!(self, StorageType::Atomic(_))
    }

    /// See [`ElemType::is_int`].
    pub fn is_int(&self) -> bool {
        self.elem_type().is_int()
    }

    /// See [`ElemType::is_signed_int`].
    pub fn is_signed_int(&self) -> bool {
        self.elem_type().is_signed_int()
    }

    /// See [`ElemType::is_unsigned_int`].
    pub fn is_unsigned_int(&self) -> bool {
        self.elem_type().is_unsigned_int()
    }

    /// See [`ElemType::is_float`].
    pub fn is_float(&self) -> bool {
        self.elem_type().is_float()
    }

    /// The element type without its storage.
    pub fn elem_type(&self) -> ElemType {
        match self {
            StorageType::Scalar(elem) | StorageType::Packed(elem, _) | StorageType::Atomic(elem) => *elem,
        }
    }

    /// Size of a word in bytes.
    pub fn size(&self) -> usize {
        match self {
            StorageType::Packed(elem, count) => (Elem::from(*elem).bits() * count).div_ceil(8) as usize,
            _ => self.elem_type().size(),
        }
    }

    /// Size of a word in bits.
    pub fn size_bits(&self) -> usize {
        self.size() * 8
    }
}

/// The type of a value or of an atomic: a scalar or a vector, by the names of CubeCL 0.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    elem: ElemType,
    /// Number of elements; 1 for a scalar.
    vector: usize,
    atomic: bool,
}

impl From<ElemType> for Type {
    fn from(elem: ElemType) -> Self {
        Type { elem, vector: 1, atomic: false }
    }
}

impl ElemType {
    /// A vector of this element type.
    pub fn with_vector_size(self, size: usize) -> Type {
        Type { vector: size.max(1), ..self.into() }
    }
}

impl Type {
    /// The type of atomics with values of type `ty`.
    pub fn atomic(ty: impl Into<Type>) -> Self {
        Type { atomic: true, ..ty.into() }
    }

    /// The element type of an atomic scalar; `None` for other types.
    pub fn atomic_scalar(&self) -> Option<ElemType> {
        (self.atomic && self.vector == 1).then_some(self.elem)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value =
            if self.vector == 1 { self.elem.to_string() } else { format!("vector<{}, {}>", self.elem, self.vector) };
        if self.atomic { write!(f, "atomic<{value}>") } else { f.write_str(&value) }
    }
}

impl fmt::Display for ElemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Elem::from(*self).name())
    }
}

impl fmt::Display for StorageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageType::Scalar(elem) => write!(f, "{elem}"),
            StorageType::Packed(elem, count) => write!(f, "packed<{elem}, {count}>"),
            StorageType::Atomic(elem) => write!(f, "atomic<{elem}>"),
        }
    }
}
