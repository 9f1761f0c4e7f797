//! Types as the interpreter sees them: what a lane is, and how many there are.
use cube_dialect::{BufferType, param_name};
use cube_ir::{Type, TypeExt};

/// Lanes that a vector may have.
const MAX_LANES: u32 = 1 << 16;

/// What a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A signless integer of 1 to 64 bits.
    Int(u32),
    /// `index`, 64 bits.
    Index,
    /// Half precision.
    F16,
    /// Upper half of single precision.
    BF16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// A buffer: the lane holds its number.
    Buffer,
}

impl Kind {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Int(bits) => bits,
            Kind::F16 | Kind::BF16 => 16,
            Kind::F32 => 32,
            Kind::Index | Kind::F64 | Kind::Buffer => 64,
        }
    }

    /// Number of its format in tables of the four, for floats.
    pub fn format(self) -> Option<usize> {
        [Kind::F16, Kind::BF16, Kind::F32, Kind::F64].iter().position(|k| *k == self)
    }

    /// Bytes of a lane in memory.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "index" => Kind::Index,
            "f16" => Kind::F16,
            "bf16" => Kind::BF16,
            "f32" => Kind::F32,
            "f64" => Kind::F64,
            _ => Kind::Int(name.strip_prefix('i')?.parse().ok().filter(|bits| (1..=64).contains(bits))?),
        })
    }
}

/// A type: lanes of one kind, with the dimensions of a vector, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What a lane is.
    pub kind: Kind,
    /// Sizes of a vector; none for a scalar.
    pub dims: Vec<u32>,
    /// For buffers: elements of a line, and what an element is.
    pub line: Option<(Kind, u32)>,
}

impl Shape {
    /// Lanes in all.
    pub fn lanes(&self) -> u32 {
        self.dims.iter().product()
    }

    fn is_small(dims: &[u32]) -> bool {
        dims.iter().try_fold(1u32, |all, n| all.checked_mul(*n)).is_some_and(|all| all <= MAX_LANES)
    }

    /// Reads a type; `params` gives the types that comptime parameters stand for.
    pub fn of<'p>(ty: Type<'p>, params: &dyn Fn(&str) -> Option<Type<'p>>) -> Option<Shape> {
        if let Some(array) = BufferType::of(ty) {
            let element = Shape::of(array.element, params)?.kind;
            return Some(Shape { kind: Kind::Buffer, dims: vec![], line: Some((element, array.line)) });
        }
        let scalar = ty.element();
        let scalar = match param_name(None, Some(scalar)) {
            Some(name) => params(name)?,
            None => scalar,
        };
        let text = ty.to_string();
        if let Some(inner) = text.strip_prefix("memref<?x").and_then(|t| t.strip_suffix('>')) {
            let (dims, kind) = vector(inner)?;
            if !Shape::is_small(&dims) {
                return None;
            }
            return Some(Shape { kind: Kind::Buffer, dims: vec![], line: Some((kind, dims.iter().product())) });
        }
        let dims = if text.starts_with("vector<") { dims_of(&text)? } else { vec![] };
        if !Shape::is_small(&dims) {
            return None;
        }
        Some(Shape { kind: Kind::named(&scalar.to_string())?, dims, line: None })
    }
}

fn vector(text: &str) -> Option<(Vec<u32>, Kind)> {
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

// `vector<2x4xf32>` gives 2, 4. Scalable sizes, in brackets, are not read.
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
