//! A kernel decoded: a flat list of instructions over 64-bit slots.
//!
//! A value of n lanes has n slots in a row; a lane is the bit pattern of its type with zeros above. Constants, scalars and
//! topology values are written into their slots before a unit starts and cost nothing while it runs.
use crate::shape::{Held, Kind, Space};
use cube_artifact::{ElemType, derived::Derived, prints::PrintFormat};
use cube_dialect::{Scope, TopologyKind};
use cube_ir::Place;
pub use cube_semantics::{Flaw, Fn1, Fn2, Fn3};
use std::collections::HashMap;

/// Bits of a pointer that tell the place in its buffer.
pub const ADDRESS_BITS: u32 = 40;

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
    /// The bits of lanes of `imm & 255` bits from `a` on, in lanes of `imm >> 8` bits; the first lane has the lowest.
    Regroup,
    /// `dst[i] = a[0]`
    Splat,
    /// `dst[i] = a[0] ? b[i] : c[i]`
    Choose,
    /// `dst[i] = a[i] ? b[i] : c[i]`
    ChooseLanes,
    /// `dst[i] = b[a[0] * lanes + i]`; `imm` is the number of places.
    Pick {
        /// Whether outside is zero, or is undefined.
        total: bool,
    },
    /// `dst[a[0] * lanes + i] = b[i]`; `imm` is the number of places.
    Put {
        /// Whether outside changes nothing, or is undefined.
        total: bool,
    },
    /// The line `a[0]` of buffer `b`.
    Load {
        /// Whether outside means zero, or is undefined.
        checked: bool,
        /// Whether `b` is a slice.
        slice: bool,
        /// Whether a lane is a bool, a byte in memory.
        bool: bool,
    },
    /// `c` to the line `a[0]` of buffer `b`.
    Store {
        /// Whether outside is dropped, or is undefined.
        checked: bool,
        /// Whether `b` is a slice.
        slice: bool,
    },
    /// The line `a[0]` of the local buffer whose lanes begin at slot `b`; `imm` is its number.
    LoadLocal {
        /// Whether outside means zero, or is undefined.
        checked: bool,
    },
    /// `c` to the line `a[0]` of a local buffer; as `LoadLocal`.
    StoreLocal {
        /// Whether outside is dropped, or is undefined.
        checked: bool,
    },
    /// One step for all units at the line `a[0]` of buffer `b`, with the value `c`.
    Atomic {
        /// What it does.
        kind: AtomicKind,
        /// Whether outside does nothing, or is undefined.
        checked: bool,
        /// Whether `b` is a slice.
        slice: bool,
    },
    /// A number that describes buffer `a[0]`; `b` is a dimension, `c` an offset, `imm` the width of the result.
    Measure(Measure),
    /// The lines from `b[0]` up to `c[0]` of buffer `a`.
    Slice {
        /// Whether `a` is a slice.
        slice: bool,
    },
    /// A topology value of the unit whose turn it is: `a`, `b`, `c` are its place along x, y, z.
    Place {
        /// Which value.
        kind: TopologyKind,
    },
    /// `dst = b + (a + c) * imm`: an address.
    Address,
    /// What lies at address `a`, `imm` bytes a lane.
    Read {
        /// Whether a lane is a bool, a byte in memory.
        bool: bool,
    },
    /// `c` to address `a`, `imm` bytes a lane.
    Write,
    /// One step at address `a` of a number of `lanes` bytes, with the value `c`; `imm` as in `Atomic`.
    AtomicAt(AtomicKind),
    /// Waits for the other units of the scope.
    Barrier(Scope),
    /// Waits for the other units of the plane, and takes their values `a`; `b` is a lane, `c` what changes nothing, `imm`
    /// the width.
    Plane(PlaneKind),
    /// Prints entry `imm` of the texts.
    Print,
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

/// What an atomic does.
#[derive(Clone, Copy, Debug)]
pub enum AtomicKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Combines; `imm` is the width.
    Rmw(Fn2),
    /// Writes where the old value is that in slot `imm`.
    Cas,
}

/// A number that describes a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Lines as the host gave them.
    Len,
    /// Lines of its memory.
    BufferLen,
    /// Lines of a slice that are in memory.
    SliceBufferLen,
    /// Dimensions.
    Rank,
    /// Elements along a dimension.
    Shape,
    /// Elements between neighbours along a dimension.
    Stride,
    /// The coordinate of an offset along a dimension.
    Coordinate,
}

/// The lane whose value a unit gets, from its own, the operand at `b`, and the lanes that a plane has.
pub type LaneOf = fn(u64, u64, u64) -> Option<u64>;

/// What a plane operation gives.
#[derive(Clone, Copy, Debug)]
pub enum PlaneKind {
    /// True in the first.
    Elect,
    /// Whether it holds in all.
    All,
    /// Whether it holds in any.
    Any,
    /// A bit for each lane.
    Ballot,
    /// All combined.
    Reduce(Fn2),
    /// Those before combined.
    Exclusive(Fn2),
    /// Those before and the own combined.
    Inclusive(Fn2),
    /// The value of lane `b`.
    Broadcast,
    /// The value of another lane, the own where that one does not come.
    Move(LaneOf),
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

impl Program {
    /// Whether a unit can see in which order units run although no two race: by an atomic that reads. A kernel without one, in which
    /// one order shows no race, has none in any order: all units then see the same values.
    pub fn observes_order(&self) -> bool {
        let reads = |kind: AtomicKind| !matches!(kind, AtomicKind::Store);
        self.code.iter().any(|inst| match inst.code {
            Code::Atomic { kind, .. } | Code::AtomicAt(kind) => reads(kind),
            _ => false,
        })
    }
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
        /// Whether it has a shape.
        tensor: bool,
    },
    /// A value of this many bits, in the low bits of its slot.
    Scalar {
        /// Its width.
        bits: u32,
        /// Whether the launch computes it and nobody gives it.
        derived: bool,
    },
    /// The records of debug prints, which the launch makes and reads.
    Prints,
}

impl ProgramParamKind {
    /// Whether a launch is given an argument for it.
    pub fn is_given(&self) -> bool {
        !matches!(self, ProgramParamKind::Scalar { derived: true, .. } | ProgramParamKind::Prints)
    }

    /// Whether elements or a value of `elem` fit it.
    pub fn takes(&self, elem: ElemType) -> bool {
        match self {
            ProgramParamKind::Buffer { bytes, .. } => *bytes as usize == elem.size(),
            ProgramParamKind::Scalar { bits, .. } => bits.div_ceil(8) as usize == elem.size(),
            ProgramParamKind::Prints => false,
        }
    }
}

/// A buffer of a program.
#[derive(Clone, Debug)]
pub(crate) struct BufferDecl {
    /// What messages call it.
    pub name: String,
    /// What it holds.
    pub held: Held,
    /// The first slot of local memory.
    pub base: u32,
}

/// A `cube.print`.
#[derive(Clone, Debug)]
pub(crate) struct PrintText {
    /// With `{}` for each value.
    pub text: String,
    /// First slot, lanes and kind of each value.
    pub values: Vec<(u32, u32, Kind)>,
    /// Whether the launch has failed with it.
    pub fails: bool,
}

/// Who runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Each unit.
    Units,
    /// Each unit, which takes its own turn of the loops over units.
    Turns,
    /// Each cube: its units have loops of their own.
    Cubes,
    /// The launch: its cubes have a loop too.
    Launch,
}

/// The buffers through which code of form [`Form::Launch`] gets its arguments, by number; the calling convention is that of
/// `cube_artifact`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchBuffers {
    /// `struct Launch`.
    pub launch: usize,
    /// Pointers to the buffers.
    pub pointers: usize,
    /// Lengths of the buffers.
    pub info: usize,
    /// Slots of the scalars.
    pub scalars: usize,
}

/// A decoded kernel; made by [`crate::Program::decode`], run by [`crate::run`].
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Units of a plane, where the kernel chooses itself.
    pub plane_dim: Option<u32>,
    /// Its parameters.
    pub params: Vec<ProgramParam>,
    /// Whether floats are elements of a ring.
    pub ring: bool,
    /// Who runs it.
    pub(crate) form: Form,
    /// Where the arguments of a lowered kernel lie.
    pub(crate) launch: Option<LaunchBuffers>,
    /// Whether units wait for each other, so that all of a cube must live at once.
    pub(crate) collective: bool,
    /// What each buffer holds: one a parameter (`None` for scalars), then shared and local memory.
    pub(crate) buffers: Vec<Option<BufferDecl>>,
    /// What the records of prints are.
    pub(crate) records: Vec<PrintFormat>,
    /// Texts to print, with the slots and kinds of their values.
    pub(crate) prints: Vec<PrintText>,
    /// Parameters with the expression that gives their value.
    pub(crate) derived: Vec<(u32, Derived)>,
    /// The cubes along x, y, z that run, where they are not those that the launch asks for.
    pub(crate) cube_count: Option<[Derived; 3]>,
    /// Kinds of the scalar parameters, by parameter.
    pub(crate) scalar_kinds: Vec<Option<Kind>>,
    pub(crate) code: Vec<Inst>,
    /// For each place in loops where a plane meets, the slots that count their turns, outermost first.
    pub(crate) turns: HashMap<usize, Vec<u32>>,
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
    /// Slots of local memory: the first, and how many.
    pub(crate) fn locals(&self) -> Vec<(u32, u32)> {
        let of = |decl: &BufferDecl| {
            let lanes = decl.held.lines.unwrap_or(0) as u32 * decl.held.line;
            (decl.held.space == Space::Local).then_some((decl.base, lanes))
        };
        self.buffers.iter().flatten().filter_map(of).collect()
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is none; a decoded kernel has at least its end.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }
}
