//! Types in the interpreter: the kind and the number of lanes.
use crate::aggregates::{self, Tree};
pub use crate::kind::LaneKind;
use cube_dialect::{BufferKind, BufferType, param_name};
use cube_ir::{AttrExt, Attribute, Dialect, MemRef, MemorySpace, Type, TypeExt};

/// Largest number of lanes in a vector.
const MAX_LANES: u32 = 1 << 16;

/// Location of a buffer's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// An argument.
    Global,
    /// Shared memory: one allocation per cube.
    Shared,
    /// Local memory: one allocation per unit.
    Local,
    /// A slice of another buffer.
    Slice,
    /// One allocation for each launch, which holds the stack and the arguments of lowered code.
    Stack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferContents {
    pub element: LaneKind,
    /// Elements of a line.
    pub line: u32,
    /// Number of lines, if the type contains it.
    pub lines: Option<u64>,
    /// Memory space.
    pub space: Space,
    /// Whether the host passes a shape with the buffer.
    pub tensor: bool,
}

/// A type: lanes of one kind, with the dimensions of a vector, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    pub kind: LaneKind,
    /// The dimensions of a vector, or an empty list for a scalar.
    pub dims: Vec<u32>,
    pub held: Option<BufferContents>,
}

impl ValueType {
    pub fn lanes(&self) -> u32 {
        if self.kind == LaneKind::Slice { 4 } else { self.dims.iter().product() }
    }

    fn is_small(dims: &[u32]) -> bool {
        dims.iter().try_fold(1u32, |all, n| all.checked_mul(*n)).is_some_and(|all| all <= MAX_LANES)
    }

    fn buffer(held: BufferContents) -> ValueType {
        let kind = if held.space == Space::Slice { LaneKind::Slice } else { LaneKind::Buffer };
        ValueType { kind, dims: vec![], held: Some(held) }
    }

    /// Converts a type; `params` gives the values of comptime parameters.
    pub fn of<'p>(ty: Type<'p>, params: &dyn Fn(&str) -> Option<Attribute<'p>>) -> Option<ValueType> {
        if let Some(buffer) = BufferType::of(ty) {
            let held = ValueType::of(buffer.element, params)?;
            // A type parameter can be a line.
            let (element, line) = (held.kind, buffer.line * held.dims.iter().product::<u32>());
            let lines = match buffer.size {
                Some(size) => Some(match param_name(Some(size), None) {
                    Some(name) => u64::try_from(params(name)?.as_int()?).ok()?,
                    None => buffer.lines()?,
                }),
                None => None,
            };
            let space = match buffer.kind {
                BufferKind::Array | BufferKind::Tensor => Space::Global,
                BufferKind::Shared => Space::Shared,
                BufferKind::Local => Space::Local,
                BufferKind::Slice => Space::Slice,
            };
            let tensor = matches!(buffer.kind, BufferKind::Tensor);
            return Some(ValueType::buffer(BufferContents { element, line, lines, space, tensor }));
        }
        if let Some(name) = param_name(None, Some(ty.element())) {
            let chosen = ValueType::of(params(name)?.as_type()?, &|_| None)?;
            return match dims_of(ty)? {
                dims if dims.is_empty() => Some(chosen),
                dims if chosen.dims.is_empty() => {
                    Some(ValueType { dims, ..chosen }).filter(|s| ValueType::is_small(&s.dims))
                }
                _ => None,
            };
        }
        if ty.dialect() == Some(Dialect::Llvm) {
            return of_llvm(&format!("{ty}"));
        }
        if ty.is_memref() {
            return memref(MemRef::of(ty)?);
        }
        let (dims, element) = (dims_of(ty)?, ty.element());
        // Addresses can be lanes of a vector.
        let kind = if element.is_llvm_pointer() { LaneKind::Index } else { LaneKind::of(element)? };
        ValueType::is_small(&dims).then_some(ValueType { kind, dims, held: None })
    }
}

// A buffer of level legal. The memory of an argument has an unknown length, and other memory has a known length.
fn memref(memref: MemRef<'_>) -> Option<ValueType> {
    let (dims, lines) = (dims_of(memref.line)?, memref.length);
    let space = match (memref.space, lines) {
        (MemorySpace::Workgroup, Some(_)) => Space::Shared,
        (MemorySpace::Default, Some(_)) => Space::Local,
        (MemorySpace::Default, None) => Space::Global,
        _ => return None,
    };
    let (element, line) = (LaneKind::of(memref.line.element())?, dims.iter().product());
    ValueType::is_small(&dims).then(|| ValueType::buffer(BufferContents { element, line, lines, space, tensor: false }))
}

// The sizes of a vector, outermost first; an empty list for a scalar.
fn dims_of(ty: Type<'_>) -> Option<Vec<u32>> {
    match ty.is_vector() {
        true => ty.dims()?.into_iter().map(|size| u32::try_from(size?).ok()).collect(),
        false => Some(vec![]),
    }
}

/// The shape of a type of the LLVM dialect.
pub(crate) fn of_llvm(text: &str) -> Option<ValueType> {
    let tree = Tree::parse(text)?;
    let lanes = Some(tree.lanes()).filter(|lanes| *lanes <= aggregates::MAX_ELEMENTS)?;
    Some(match tree {
        Tree::Leaf(kind, dims) => ValueType { kind, dims, held: None },
        Tree::Node(_) => ValueType { kind: LaneKind::Aggregate, dims: vec![lanes], held: None },
    })
}
