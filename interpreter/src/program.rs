//! A decoded kernel: a flat list of instructions over 64-bit slots.
//!
//! A value of n lanes has n consecutive slots. A lane contains the zero-extended bit pattern of a value. Constants,
//! scalars and topology values are written to their slots before a unit starts. Constants, scalars and
//! topology values therefore need no instructions.
use crate::shape::{BufferContents, LaneKind, Space};
use cube_artifact::{ElemType, derived::Derived, prints::PrintFormat};
use cube_dialect::{Scope, TopologyKind};
use cube_ir::{OpKind, SourceLocation};
pub use cube_semantics::{Flaw, Fn1, Fn2, Fn3};
use std::collections::HashMap;

/// Number of bits of a pointer that contain the offset in its buffer.
pub const ADDRESS_BITS: u32 = 40;

/// The effect of an instruction.
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
    /// Rearranges bits. Lanes of `imm & 255` bits, starting at `a`, become lanes of `imm >> 8` bits. The first lane has
    /// the lowest bits.
    Regroup,
    /// `dst[i] = a[0]`
    Splat,
    /// `dst[i] = a[0] ? b[i] : c[i]`
    Choose,
    /// `dst[i] = a[i] ? b[i] : c[i]`
    ChooseLanes,
    /// `dst[i] = b[a[0] * lanes + i]`; `imm` is the number of positions.
    Pick {
        /// True if an index out of bounds gives zero; otherwise the result is undefined.
        total: bool,
    },
    /// `dst[a[0] * lanes + i] = b[i]`; `imm` is the number of positions.
    Put {
        /// True if an index out of bounds has no effect; otherwise the result is undefined.
        total: bool,
    },
    /// Loads the line `a[0]` of buffer `b`.
    Load {
        /// True if a read out of bounds gives zero; otherwise the result is undefined.
        checked: bool,
        /// Whether `b` is a slice.
        slice: bool,
        /// Whether a lane is a bool, which is one byte in memory.
        bool: bool,
    },
    /// Stores `c` to the line `a[0]` of buffer `b`.
    Store {
        /// True if a write out of bounds is dropped; otherwise the behaviour is undefined.
        checked: bool,
        /// Whether `b` is a slice.
        slice: bool,
    },
    /// Loads the line `a[0]` of the local buffer whose lanes begin at slot `b`. `imm` is the number of the buffer.
    LoadLocal {
        /// True if a read out of bounds gives zero; otherwise the result is undefined.
        checked: bool,
    },
    /// Stores `c` to the line `a[0]` of a local buffer. The other operands are as in `LoadLocal`.
    StoreLocal {
        /// True if a write out of bounds is dropped; otherwise the behaviour is undefined.
        checked: bool,
    },
    /// An atomic operation on the line `a[0]` of buffer `b`, with the value `c`.
    Atomic {
        /// The operation.
        kind: AtomicKind,
        /// True if an access out of bounds has no effect; otherwise the behaviour is undefined.
        checked: bool,
        /// Whether `b` is a slice.
        slice: bool,
    },
    /// A property of buffer `a[0]`; `b` is a dimension, `c` an offset, `imm` the width of the result.
    Measure(Measure),
    /// The slice of buffer `a` from line `b[0]` to line `c[0]`, exclusive.
    Slice {
        /// Whether `a` is a slice.
        slice: bool,
    },
    /// A topology value of the unit in the current iteration. The unit's position along x, y, z is in `a`,
    /// `b`, `c`.
    Place {
        /// The kind of the topology value.
        kind: TopologyKind,
    },
    /// `dst = b + (a + c) * imm`: an address.
    Address,
    /// Reads `imm` bytes per lane at address `a`.
    Read {
        /// Whether a lane is a bool, which is one byte in memory.
        bool: bool,
    },
    /// Writes `c` at address `a`, with `imm` bytes per lane.
    Write,
    /// An atomic operation on a number of `lanes` bytes at address `a`, with the value `c`. `imm` is as in
    /// `Atomic`.
    AtomicAt(AtomicKind),
    /// Waits for the other units of the barrier's scope.
    Barrier(Scope),
    /// Waits for the other units of the plane, and combines the values `a` of all units. `b` is a lane, `c` the
    /// identity, and `imm` the width.
    Plane(PlaneKind),
    /// Prints the text number `imm` of the program.
    Print,
    /// Continues at instruction `imm`.
    Jump,
    /// Continues at instruction `imm` if `a[0]` is 0.
    JumpUnless,
    /// Continues at instruction `imm` if `a[0]` is not `b[0]`.
    JumpOther,
    /// Starts a loop from `a` to `b` in steps of `c`. If the range is empty, the interpreter continues at instruction
    /// `imm`. The behaviour is undefined if the step is not positive.
    LoopStart {
        /// Width of the comparison if it is signed; 0 if it is unsigned.
        signed: u32,
    },
    /// Increments the loop counter `a` by `c`. Jumps back to instruction `imm` if `a` is still less than `b`.
    LoopNext {
        /// Width of the comparison if it is signed; 0 if it is unsigned.
        signed: u32,
    },
    /// Ends the unit.
    End,
}

/// The effect of an atomic operation.
#[derive(Clone, Copy, Debug)]
pub enum AtomicKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Combines lanes; `imm` is the width.
    Rmw(Fn2),
    /// Writes if the old value equals the value in slot `imm`.
    Cas,
}

/// A property of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Number of lines of the buffer, as the host declares it.
    Len,
    /// Number of lines in the buffer's memory.
    BufferLen,
    /// Number of lines of a slice that are inside the buffer's memory.
    SliceBufferLen,
    /// Number of dimensions.
    Rank,
    /// Number of elements along a dimension.
    Shape,
    /// Distance in elements between neighbours along a dimension.
    Stride,
    /// The coordinate, along a dimension, of the element at an offset.
    Coordinate,
}

/// A function that computes the lane from which a unit reads. The arguments are the unit's lane, the operand at `b`,
/// and the number of lanes of a plane.
pub type LaneOf = fn(u64, u64, u64) -> Option<u64>;

/// The result of a plane operation.
#[derive(Clone, Copy, Debug)]
pub enum PlaneKind {
    /// True in the first active lane.
    Elect,
    /// Whether the operand is true in all active lanes.
    All,
    /// Whether the operand is true in any active lane.
    Any,
    /// A mask with one bit for each active lane whose operand is true.
    Ballot,
    /// The combination of the values of all active lanes.
    Reduce(Fn2),
    /// The combination of the values of all previous active lanes.
    Exclusive(Fn2),
    /// The combination of the values of all previous active lanes and the current lane.
    Inclusive(Fn2),
    /// The value of the lane whose number is operand `b`.
    Broadcast,
    /// The value of the lane that the function selects. If the source lane is inactive, the result is the
    /// current lane's own value.
    Move(LaneOf),
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    /// The effect of the instruction.
    pub code: Code,
    /// First slot of the result.
    pub dst: u32,
    /// First slot of the first operand.
    pub a: u32,
    /// First slot of the second operand.
    pub b: u32,
    /// First slot of the third operand.
    pub c: u32,
    /// Number of lanes of the result.
    pub lanes: u32,
    /// An immediate value, such as a width or a jump target: see [`Code`].
    pub imm: u32,
}

impl Program {
    /// Whether the program contains an atomic operation that returns a value. By this value a unit can observe the
    /// execution order without a race. In a program without such operations, all units read the same values in every
    /// execution order, so a race occurs in every order or in no order.
    pub fn observes_order(&self) -> bool {
        let reads = |kind: AtomicKind| !matches!(kind, AtomicKind::Store);
        self.code.iter().any(|inst| match inst.code {
            Code::Atomic { kind, .. } | Code::AtomicAt(kind) => reads(kind),
            _ => false,
        })
    }
}

/// An operation of the kernel's source, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub kind: OpKind,
    /// The full name of the operation.
    pub op: String,
    pub location: Option<SourceLocation>,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{}:{}:{}: '{}'", location.file, location.line, location.column, self.op),
            None => write!(f, "'{}'", self.op),
        }
    }
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramParam {
    pub name: String,
    /// Kind and type of the parameter.
    pub kind: ProgramParamKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramParamKind {
    /// Lines of elements.
    Buffer {
        /// Bytes of an element.
        bytes: u32,
        /// Elements of a line.
        line: u32,
        /// Whether the kernel declares that it never reads the buffer.
        write_only: bool,
        /// Whether the buffer has a shape.
        tensor: bool,
    },
    /// A value of `bits` bits, in the low bits of its slot.
    Scalar {
        /// The width in bits.
        bits: u32,
        /// Whether the launch computes the parameter, so that no argument is passed.
        derived: bool,
    },
    /// The records of debug prints, which the launch creates and reads.
    Prints,
}

impl ProgramParamKind {
    /// Whether a launch takes an argument for the parameter.
    pub fn is_given(&self) -> bool {
        !matches!(self, ProgramParamKind::Scalar { derived: true, .. } | ProgramParamKind::Prints)
    }

    /// Whether the parameter accepts an argument of type `elem`: a buffer of elements of this type, or a scalar. The
    /// function compares only sizes.
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
    /// Name in messages.
    pub name: String,
    /// Element type and size.
    pub held: BufferContents,
    /// The number of the first slot, if the buffer is local memory.
    pub base: u32,
    /// The offset in bytes in the shared memory of the cube; `None` for a buffer with its own memory.
    pub offset: Option<u64>,
}

/// The text and the values of one `cube.print`.
#[derive(Clone, Debug)]
pub(crate) struct PrintText {
    /// The text to print, with `{}` for each value.
    pub text: String,
    /// First slot, number of lanes, and kind of each printed value.
    pub values: Vec<(u32, u32, LaneKind)>,
    /// Whether the print reports a failure of the launch.
    pub fails: bool,
}

/// Execution form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExecutionForm {
    Units,
    /// Each unit runs the program, and executes its own iteration of the work-item loops.
    SharedLoops,
    /// Each cube runs the program once. The program contains the loops over the units.
    Cubes,
    /// The launch runs the program once. The program also contains the loops over the cubes.
    Launch,
}

/// The numbers of the buffers from which code of the form [`ExecutionForm::Launch`] reads its arguments.
/// `cube_artifact` defines the calling convention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchBuffers {
    /// The buffer with the value of `struct Launch` of the calling convention.
    pub launch: usize,
    /// The buffer with pointers to the argument buffers.
    pub pointers: usize,
    /// The buffer with the lengths of the argument buffers.
    pub info: usize,
    /// The buffer with the values of the scalar arguments.
    pub scalars: usize,
}

/// A decoded kernel. [`crate::Program::decode`] creates it, and [`crate::run`] runs it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Number of units of a plane, if the kernel fixes it.
    pub plane_dim: Option<u32>,
    /// The parameters of the kernel.
    pub params: Vec<ProgramParam>,
    /// Whether the program represents floats as elements of a ring.
    pub ring: bool,
    pub(crate) form: ExecutionForm,
    /// Buffers with the arguments of a lowered kernel.
    pub(crate) launch: Option<LaunchBuffers>,
    /// Whether units of a cube wait for each other. If units wait for each other, each unit of a cube needs a
    /// separate state.
    pub(crate) collective: bool,
    /// Contents of each buffer: one per parameter (`None` for scalars), followed by shared and local memory.
    pub(crate) buffers: Vec<Option<BufferDecl>>,
    pub(crate) records: Vec<PrintFormat>,
    /// Texts to print, with the slots and kinds of their values.
    pub(crate) prints: Vec<PrintText>,
    /// The parameters that the launch computes, each with its expression.
    pub(crate) derived: Vec<(u32, Derived)>,
    /// The numbers of cubes that a launch executes along x, y, z, if they differ from the requested numbers.
    pub(crate) cube_count: Option<[Derived; 3]>,
    /// The parameter with the number of cubes (`cube.cubes`).
    pub(crate) cubes: Option<u32>,
    /// For each parameter, the kind of its scalar; `None` if the parameter is not a scalar.
    pub(crate) scalar_kinds: Vec<Option<LaneKind>>,
    pub(crate) code: Vec<Inst>,
    /// For each plane operation inside loops, the slots of the iteration counters of these loops, outermost
    /// first.
    pub(crate) iterations: HashMap<usize, Vec<u32>>,
    pub(crate) site_of: Vec<u32>,
    pub(crate) sites: Vec<Site>,
    /// For each instruction, the index of its entry in `flaws`, plus one, or 0 if it has no entry.
    pub(crate) flaw_of: Vec<u32>,
    pub(crate) flaws: Vec<Vec<(Flaw, u32)>>,
    pub(crate) slots: u32,
    pub(crate) constants: Vec<(u32, u64)>,
    /// Slots that are undefined when a unit starts.
    pub(crate) poisons: Vec<(u32, u32)>,
    pub(crate) topology: Vec<(TopologyKind, u32)>,
    /// The number and the slot of each scalar parameter.
    pub(crate) scalars: Vec<(u32, u32)>,
}

impl Program {
    /// The first slot and the number of slots of each local memory.
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

    /// Whether the program has no instruction. A decoded kernel has at least its terminator.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }
}
