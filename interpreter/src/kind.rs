//! What a lane is, and how vectors of lanes are written.
use cube_semantics::Number;
use cube_target::{Class, Element};

/// What a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A signless integer of 1 to 64 bits.
    Int(u32),
    /// `index`, 64 bits.
    Index,
    /// A float of the table of element types, computed in or only stored.
    Float(Element),
    /// A buffer: the lane holds its number.
    Buffer,
    /// Values in a row that `extractvalue` takes apart; the size of its one dimension counts them.
    Aggregate,
    /// A part of a buffer: four lanes, the buffer's number, the first line, the number of lines, and how many of them may be
    /// accessed: less where a slice of a slice reaches over it.
    Slice,
}

impl Kind {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Int(bits) => bits,
            Kind::Float(element) => element.bits(),
            Kind::Index | Kind::Buffer | Kind::Slice | Kind::Aggregate => 64,
        }
    }

    /// The number that a lane is; none for buffers, slices and aggregates.
    pub fn number(self) -> Option<Number> {
        Some(match self {
            Kind::Int(bits) => Number::Int(bits),
            Kind::Index => Number::Int(64),
            Kind::Float(element) => Number::Float(element),
            Kind::Buffer | Kind::Slice | Kind::Aggregate => return None,
        })
    }

    /// Number of its format in tables of those that are computed in, for floats.
    pub fn format(self) -> Option<usize> {
        self.number()?.format()
    }

    /// Its row in the table of element types, for floats.
    pub fn element(self) -> Option<Element> {
        match self {
            Kind::Float(element) => Some(element),
            Kind::Int(_) | Kind::Index | Kind::Buffer | Kind::Aggregate | Kind::Slice => None,
        }
    }

    /// Whether it is a float, computed in or only stored.
    pub fn is_float(self) -> bool {
        self.element().is_some()
    }

    /// Bytes of a lane in memory.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8).next_power_of_two()
    }

    /// A kind by its name in types.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        if name == "index" {
            return Some(Kind::Index);
        }
        if let Some(element) = Element::from_ir(name).filter(|element| element.class() == Class::Float) {
            return Some(Kind::Float(element));
        }
        Some(Kind::Int(name.strip_prefix('i')?.parse().ok().filter(|bits| (1..=64).contains(bits))?))
    }
}

/// Sizes and element of a vector type, or of a scalar.
pub(crate) fn vector(text: &str) -> Option<(Vec<u32>, Kind)> {
    match text.strip_prefix("vector<") {
        Some(inner) => {
            let element = inner.strip_suffix('>')?.rsplit('x').next()?;
            // `index` holds an x of its own.
            let element = if inner.ends_with("index>") { "index" } else { element };
            Some((dims_of(text)?, Kind::named(element)?))
        }
        None => Some((vec![], Kind::named(text)?)),
    }
}

/// `vector<2x4xf32>` gives 2, 4. Scalable sizes, in brackets, are not read.
pub(crate) fn dims_of(text: &str) -> Option<Vec<u32>> {
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
