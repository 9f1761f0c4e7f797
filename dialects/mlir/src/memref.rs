//! One-dimensional memrefs. All memrefs of kernels have one dimension.
use crate::{AttrExt, Cx};
use melior::ir::{Attribute, Type, TypeLike, attribute::AttributeLike};
use mlir_sys::*;

/// The memory space of a memref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// No memory space: an argument, or memory of one unit.
    Default,
    /// `#gpu.address_space<workgroup>`: memory that the units of a cube share.
    Workgroup,
    /// An address space of LLVM.
    Llvm(u32),
}

/// The parts of a one-dimensional memref type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemRef<'p> {
    /// Number of lines; `None` if it is known at launch only.
    pub length: Option<u64>,
    /// The type of a line: a scalar, or a vector of one dimension.
    pub line: Type<'p>,
    /// The memory that contains the lines: global, shared or local, or an address space of LLVM.
    pub space: MemorySpace,
}

const WORKGROUP: &str = "#gpu.address_space<workgroup>";

impl<'p> MemRef<'p> {
    /// The parts of a memref type. `None` if the type is not a one-dimensional memref, or if kernels do not use the
    /// memory space of the type.
    pub fn of(ty: Type<'p>) -> Option<Self> {
        let raw = ty.to_raw();
        // SAFETY: the kind of the type is checked first, and the rank before the dimension. A null space is the
        // default.
        unsafe {
            if !mlirTypeIsAMemRef(raw) || mlirShapedTypeGetRank(raw) != 1 {
                return None;
            }
            let size = mlirShapedTypeGetDimSize(raw, 0);
            let line = Type::from_raw(mlirShapedTypeGetElementType(raw));
            let space = mlirMemRefTypeGetMemorySpace(raw);
            let space = (!space.ptr.is_null()).then(|| Attribute::from_raw(space));
            Some(MemRef { length: u64::try_from(size).ok(), line, space: MemorySpace::of(space)? })
        }
    }

    pub fn ty(self, cx: Cx<'p>) -> Type<'p> {
        let space = self.space.attribute(cx).map_or(MlirAttribute { ptr: std::ptr::null() }, |a| a.to_raw());
        // SAFETY: a valid element type and space, one dimension, the identity layout; kDynamic for an unknown length.
        unsafe {
            let shape = [self.length.map_or_else(|| mlirShapedTypeGetDynamicSize(), |lines| lines as i64)];
            Type::from_raw(mlirMemRefTypeContiguousGet(self.line.to_raw(), 1, shape.as_ptr(), space))
        }
    }
}

/// Marks a position or size that is an operand and not a constant, in static positions of `vector` and `memref`
/// (`ShapedType::kDynamic`).
pub const DYNAMIC: i64 = i64::MIN;

/// Marks an index that is an operand and not a constant, in `llvm.getelementptr` (`GEPOp::kDynamicIndex`).
pub const DYNAMIC_INDEX: i32 = i32::MIN;

impl MemorySpace {
    fn of(attribute: Option<Attribute<'_>>) -> Option<Self> {
        match attribute {
            None => Some(MemorySpace::Default),
            Some(attribute) => match attribute.as_int() {
                Some(number) => Some(MemorySpace::Llvm(u32::try_from(number).ok()?)),
                None => (attribute.to_string() == WORKGROUP).then_some(MemorySpace::Workgroup),
            },
        }
    }

    fn attribute(self, cx: Cx<'_>) -> Option<Attribute<'_>> {
        match self {
            // Upstream represents space 0 by a missing attribute.
            MemorySpace::Default | MemorySpace::Llvm(0) => None,
            MemorySpace::Workgroup => Some(cx.parse_attr(WORKGROUP).expect("the gpu dialect is loaded")),
            MemorySpace::Llvm(number) => Some(cx.int_attr(cx.int(64), number.into())),
        }
    }

    /// The number of the address space in LLVM, after address spaces have been assigned.
    pub fn llvm(self) -> u32 {
        match self {
            MemorySpace::Llvm(number) => number,
            MemorySpace::Default | MemorySpace::Workgroup => 0,
        }
    }
}
