//! A kernel decoded: a flat list of instructions over 64-bit slots.
//!
//! A value of n lanes has n slots in a row; a lane is the bit pattern of its type with zeros above. Constants, scalars and
//! topology values are written into their slots before a unit starts and cost nothing while it runs.
use cube_artifact::ElemType;
use cube_dialect::TopologyKind;
use cube_ir::Place;

/// Operation on one lane; the last operand is the instruction's `imm`, for integers the width.
pub type Fn1 = fn(u64, u32) -> u64;
/// Operation on a lane of each of two values.
pub type Fn2 = fn(u64, u64, u32) -> u64;
/// Operation on a lane of each of three values.
pub type Fn3 = fn(u64, u64, u64, u32) -> u64;

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// `dst[i] = f(a[i])`
    Map1(Fn1),
    /// `dst[i] = f(a[i], b[i])`
    Map2(Fn2),
    /// `dst[i] = f(a[i], b[i], c[i])`
    Map3(Fn3),
    /// `dst[i] = a[i]`
    Copy,
    /// `dst[i] = a[0]`
    Splat,
    /// `dst[i] = a[0] ? b[i] : c[i]`
    Choose,
    /// `dst[i] = a[i] ? b[i] : c[i]`
    ChooseLanes,
    /// `dst[i] = b[a[0] * lanes + i]`; `imm` is the number of places.
    Pick,
    /// `dst[a[0] * lanes + i] = b[i]`; `imm` is the number of places.
    Put,
    /// The line `a[0]` of buffer `b[0]`.
    Load {
        /// Whether outside means zero, or is undefined.
        checked: bool,
        /// Whether a lane is a bool, a byte in memory.
        bool: bool,
    },
    /// `c` to the line `a[0]` of buffer `b[0]`.
    Store {
        /// Whether outside is dropped, or is undefined.
        checked: bool,
    },
    /// Lines of buffer `a[0]`; `imm` is the width of the result.
    Len,
    /// Goes on at instruction `imm`.
    Jump,
    /// Goes on at instruction `imm` where `a[0]` is 0.
    JumpUnless,
    /// Goes on at instruction `imm` where `a[0]` is not `b[0]`.
    JumpOther,
    /// Before the first turn of a loop from `a` to `b` by `c`: goes on at `imm` where there is none. A step that does not
    /// go forward is undefined.
    LoopStart {
        /// Comparison with sign, of numbers this wide; 0 for none.
        signed: u32,
    },
    /// Moves `a` on by `c` and goes back to `imm` while it is before `b`.
    LoopNext {
        /// Comparison with sign, of numbers this wide; 0 for none.
        signed: u32,
    },
    /// The unit is done.
    End,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    /// What it does.
    pub code: Code,
    /// First slot of the result.
    pub dst: u32,
    /// First slots of the operands.
    pub a: u32,
    /// See `a`.
    pub b: u32,
    /// See `a`.
    pub c: u32,
    /// Lanes of the result.
    pub lanes: u32,
    /// A width, a target, a number: see [`Code`].
    pub imm: u32,
}

/// When an operation has no defined result.
#[derive(Clone, Copy, Debug)]
pub struct Flaw {
    /// Whether reaching it is undefined, or only using its result.
    pub immediate: bool,
    /// What is wrong.
    pub why: &'static str,
    /// Whether these operands are outside the defined ones; the last is the width of the first operand, with that of the
    /// result above bit 8.
    pub test: fn(u64, u64, u32) -> bool,
}

/// An operation of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its full name.
    pub op: String,
    /// Where it stands.
    pub place: Option<Place>,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{}:{}:{}: '{}'", place.file, place.line, place.column, self.op),
            None => write!(f, "'{}'", self.op),
        }
    }
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramParam {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ProgramParamKind,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramParamKind {
    /// Lines of elements.
    Buffer {
        /// Bytes of an element.
        bytes: u32,
        /// Elements of a line.
        line: u32,
        /// Whether the kernel is declared never to read it.
        write_only: bool,
    },
    /// A value of this many bits, in the low bits of its slot.
    Scalar {
        /// Its width.
        bits: u32,
    },
}

impl ProgramParamKind {
    /// Whether elements or a value of `elem` fit it.
    pub fn takes(&self, elem: ElemType) -> bool {
        match self {
            ProgramParamKind::Buffer { bytes, .. } => *bytes as usize == elem.size(),
            ProgramParamKind::Scalar { bits } => bits.div_ceil(8) as usize == elem.size(),
        }
    }
}

/// A decoded kernel; made by [`crate::Program::decode`], run by [`crate::run`].
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Its parameters.
    pub params: Vec<ProgramParam>,
    pub(crate) code: Vec<Inst>,
    pub(crate) site_of: Vec<u32>,
    pub(crate) sites: Vec<Site>,
    /// Number of the instruction's entry in `flaws`, plus one; 0 for none.
    pub(crate) flaw_of: Vec<u32>,
    pub(crate) flaws: Vec<Vec<(Flaw, u32)>>,
    pub(crate) slots: u32,
    pub(crate) constants: Vec<(u32, u64)>,
    /// Slots that hold no defined value from the start.
    pub(crate) poisons: Vec<(u32, u32)>,
    pub(crate) topology: Vec<(TopologyKind, u32)>,
    /// Parameter number and slot.
    pub(crate) scalars: Vec<(u32, u32)>,
}

impl Program {
    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is none; a decoded kernel has at least its end.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }
}
