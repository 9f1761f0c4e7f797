//! State of the pass while it splits one kernel: the segments, and the definition and storage of each value.
use cube_ir::{
    Block, Op, Run, TypeExt, Val,
    properties::{has_no_effects, is_convergent, is_terminator},
};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_to_llvm::memory;
use std::collections::{HashMap, HashSet};

/// A segment of code that runs for one unit after the other.
#[derive(Clone, Copy)]
pub(crate) struct Segment<'p> {
    pub(super) number: usize,
    /// The outermost loop.
    pub outer: Op<'p>,
    /// The terminator of the innermost loop's body.
    pub end: Op<'p>,
}

/// Splits the code of one kernel.
pub(crate) struct Split<'r, 'p> {
    pub(crate) run: &'r mut Run<'p>,
    pub(super) shape: CubeGeometry,
    pub(super) is_barrier: fn(Op<'_>) -> bool,
    pub uniformity: &'r Uniformity<'p>,
    /// The kernel's block; allocations are inserted at its start.
    pub(super) kernel: Block<'p>,
    /// Barriers, and all operations that contain a barrier.
    pub(super) around_barriers: HashSet<Op<'p>>,
    pub(super) segments: Vec<Segment<'p>>,
    pub(super) blocks: Vec<Block<'p>>,
    /// The segment that defines a value; `None` if the value is only in memory.
    pub(super) defining_segment: HashMap<Val<'p>, Option<usize>>,
    pub(super) storage: HashMap<Val<'p>, ValueStorage<'p>>,
    /// For each copy of a value in a segment: the original value.
    pub(super) originals: HashMap<Val<'p>, Val<'p>>,
}

/// The storage of a value between segments.
#[derive(Clone, Copy)]
pub(crate) enum ValueStorage<'p> {
    /// Memory of one line, shared by all units.
    Cell(Val<'p>),
    /// Memory of one line per unit.
    Array(Val<'p>),
}

/// Allocates memory with one line per unit.
pub(crate) fn array<'p>(split: &Split<'_, 'p>, ty: cube_ir::Type<'p>) -> Val<'p> {
    memory::shared(split.kernel, u64::from(split.shape.units()), ty)
}

/// Whether an operation has no effect besides its numeric result. A pure operation can be undefined for some operands,
/// for example a division by zero.
pub(crate) fn is_pure(op: Op<'_>) -> bool {
    has_no_effects(op)
        && !is_convergent(op)
        && !is_terminator(op)
        && op.regions().len() == 0
        && op.results().all(|r| r.ty().is_int() || r.ty().is_fp() || r.ty().is_index() || r.ty().lanes().is_some())
}
