//! Types in the interpreter: the kind and the number of lanes.
use crate::aggregates::{self, Tree};
pub use crate::kind::LaneKind;
use crate::kind::{dims_of, vector};
use cube_dialect::{BufferKind, BufferType, param_name};
use cube_ir::{AttrExt, Attribute, Type, TypeExt};

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
pub struct Shape {
    pub kind: LaneKind,
    /// The dimensions of a vector, or an empty list for a scalar.
    pub dims: Vec<u32>,
    pub held: Option<BufferContents>,
}

impl Shape {
    pub fn lanes(&self) -> u32 {
        if self.kind == LaneKind::Slice { 4 } else { self.dims.iter().product() }
    }

    fn is_small(dims: &[u32]) -> bool {
        dims.iter().try_fold(1u32, |all, n| all.checked_mul(*n)).is_some_and(|all| all <= MAX_LANES)
    }

    fn buffer(held: BufferContents) -> Shape {
        let kind = if held.space == Space::Slice { LaneKind::Slice } else { LaneKind::Buffer };
        Shape { kind, dims: vec![], held: Some(held) }
    }

    /// Converts a type; `params` gives the values of comptime parameters.
    pub fn of<'p>(ty: Type<'p>, params: &dyn Fn(&str) -> Option<Attribute<'p>>) -> Option<Shape> {
        if let Some(buffer) = BufferType::of(ty) {
            let held = Shape::of(buffer.element, params)?;
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
            return Some(Shape::buffer(BufferContents { element, line, lines, space, tensor }));
        }
        if let Some(name) = param_name(None, Some(ty.element())) {
            let chosen = Shape::of(params(name)?.as_type()?, &|_| None)?;
            return match ty.to_string() {
                text if !text.starts_with("vector<") => Some(chosen),
                text if chosen.dims.is_empty() => {
                    Some(Shape { dims: dims_of(&text)?, ..chosen }).filter(|s| Shape::is_small(&s.dims))
                }
                _ => None,
            };
        }
        let text = ty.to_string();
        if text.starts_with("!llvm.") {
            return of_llvm(&text);
        }
        if let Some(inner) = text.strip_prefix("memref<").and_then(|t| t.strip_suffix('>')) {
            return memref(inner);
        }
        let dims = if text.starts_with("vector<") { dims_of(&text)? } else { vec![] };
        if !Shape::is_small(&dims) {
            return None;
        }
        let element = ty.element().to_string();
        // Addresses can be lanes of a vector.
        let kind = if element == "!llvm.ptr" { LaneKind::Index } else { LaneKind::named(&element)? };
        Some(Shape { kind, dims, held: None })
    }
}

// Parses a one-dimensional memref without a layout: `?xf32`, `64xvector<4xf32>, #gpu.address_space<workgroup>`.
fn memref(inner: &str) -> Option<Shape> {
    let (size, rest) = inner.split_once('x')?;
    let lines = if size == "?" { None } else { Some(size.parse().ok()?) };
    let (element, place) = rest.split_once(", ").unwrap_or((rest, ""));
    let (dims, kind) = vector(element)?;
    let space = match (place, lines) {
        ("#gpu.address_space<workgroup>", Some(_)) => Space::Shared,
        ("" | "#gpu.address_space<private>", Some(_)) => Space::Local,
        ("" | "#gpu.address_space<global>", None) => Space::Global,
        _ => return None,
    };
    let line = dims.iter().product();
    Shape::is_small(&dims).then(|| Shape::buffer(BufferContents { element: kind, line, lines, space, tensor: false }))
}

/// The shape of a type of the LLVM dialect.
pub(crate) fn of_llvm(text: &str) -> Option<Shape> {
    let tree = Tree::parse(text)?;
    let lanes = Some(tree.lanes()).filter(|lanes| *lanes <= aggregates::MOST)?;
    Some(match tree {
        Tree::Leaf(kind, dims) => Shape { kind, dims, held: None },
        Tree::Node(_) => Shape { kind: LaneKind::Aggregate, dims: vec![lanes], held: None },
    })
}
