//! Kinds of lanes, and the syntax of vector types.
use cube_dialect::element_of;
use cube_ir::{Type, TypeExt};
use cube_semantics::Number;
use cube_target::{Class, Element};

/// Kind of a value's lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// A signless integer of 1 to 64 bits.
    Int(u32),
    /// `index`, 64 bits.
    Index,
    /// A float type from the table of element types, for computation or for storage only.
    Float(Element),
    /// A buffer, whose number is in the lane.
    Buffer,
    /// Consecutive values that `extractvalue` reads. The only dimension is the number of values.
    Aggregate,
    /// A part of a buffer, in four lanes: the buffer's number, the first line, the number of lines, and the number of
    /// accessible lines. The number of accessible lines is smaller than the number of lines if a slice of a slice
    /// extends beyond its source.
    Slice,
}

impl LaneKind {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            LaneKind::Int(bits) => bits,
            LaneKind::Float(element) => element.bits(),
            LaneKind::Index | LaneKind::Buffer | LaneKind::Slice | LaneKind::Aggregate => 64,
        }
    }

    /// The number type of a lane; `None` for buffers, slices and aggregates.
    pub fn number(self) -> Option<Number> {
        Some(match self {
            LaneKind::Int(bits) => Number::Int(bits),
            LaneKind::Index => Number::Int(64),
            LaneKind::Float(element) => Number::Float(element),
            LaneKind::Buffer | LaneKind::Slice | LaneKind::Aggregate => return None,
        })
    }

    /// Index of the format in the tables of computed formats, for floats.
    pub fn format(self) -> Option<usize> {
        self.number()?.format()
    }

    /// Row in the table of element types, for floats.
    pub fn element(self) -> Option<Element> {
        match self {
            LaneKind::Float(element) => Some(element),
            LaneKind::Int(_) | LaneKind::Index | LaneKind::Buffer | LaneKind::Aggregate | LaneKind::Slice => None,
        }
    }

    /// Whether the kind is a float, for computation or for storage only.
    pub fn is_float(self) -> bool {
        self.element().is_some()
    }

    /// Bytes of a lane in memory.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8).next_power_of_two()
    }

    /// The kind of a scalar type.
    pub(crate) fn of(ty: Type<'_>) -> Option<LaneKind> {
        if ty.is_index() {
            return Some(LaneKind::Index);
        }
        match (ty.bits()?, element_of(ty)) {
            (_, Some(element)) if element.class() == Class::Float => Some(LaneKind::Float(element)),
            (bits, _) if ty.is_signless() && (1..=64).contains(&bits) => Some(LaneKind::Int(bits)),
            _ => None,
        }
    }

    /// The kind with the given name in the syntax of types. The function is only for types of the dialect `llvm`.
    pub(crate) fn named(name: &str) -> Option<LaneKind> {
        if name == "index" {
            return Some(LaneKind::Index);
        }
        if let Some(element) = Element::from_ir(name).filter(|element| element.class() == Class::Float) {
            return Some(LaneKind::Float(element));
        }
        Some(LaneKind::Int(name.strip_prefix('i')?.parse().ok().filter(|bits| (1..=64).contains(bits))?))
    }
}

/// The dimensions and the element kind of a vector type. A scalar has no dimensions.
pub(crate) fn vector(text: &str) -> Option<(Vec<u32>, LaneKind)> {
    match text.strip_prefix("vector<") {
        Some(inner) => {
            let element = inner.strip_suffix('>')?.rsplit('x').next()?;
            // The name `index` contains an `x`.
            let element = if inner.ends_with("index>") { "index" } else { element };
            Some((dims_of(text)?, LaneKind::named(element)?))
        }
        None => Some((vec![], LaneKind::named(text)?)),
    }
}

/// `vector<2x4xf32>` gives 2, 4. Scalable sizes, in brackets, are not supported.
fn dims_of(text: &str) -> Option<Vec<u32>> {
    let mut rest = text.strip_prefix("vector<")?;
    let mut dims = Vec::new();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match rest[digits..].strip_prefix('x') {
            Some(after) if digits > 0 => {
                dims.push(rest[..digits].parse().ok()?);
                rest = after;
            }
            _ if rest.starts_with('[') => return None,
            _ => return Some(dims),
        }
    }
}
