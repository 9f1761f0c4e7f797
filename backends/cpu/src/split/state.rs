//! What is known while a kernel is split: its segments, and where each value is made and lives.
use cube_ir::{
    Block, Op, Run, TypeExt, Val,
    properties::{has_no_effects, is_convergent, is_terminator},
};
use cube_passes::analysis::uniformity::{Shape, Uniformity};
use cube_to_llvm::memory;
use std::collections::{HashMap, HashSet};

/// Attribute of the loops over members; its text is one of the words below.
pub(crate) const LOOP: &str = "cube.unit_loop";
/// Loops over units along each axis.
pub(crate) const UNIT_LOOPS: [&str; 3] = ["unit_x", "unit_y", "unit_z"];
/// The loop over planes.
pub(crate) const PLANE_LOOP: &str = "plane";

/// A stretch that one member runs after the other.
#[derive(Clone, Copy)]
pub(crate) struct Segment<'p> {
    pub(super) number: usize,
    /// The outermost loop.
    pub outer: Op<'p>,
    /// The end of the innermost body.
    pub end: Op<'p>,
}

/// Work on one group.
pub(crate) struct Split<'r, 'p> {
    pub(crate) run: &'r mut Run<'p>,
    /// How units lie.
    pub(super) shape: Shape,
    pub(super) meets: fn(Op<'_>) -> bool,
    pub uniformity: &'r Uniformity<'p>,
    /// The kernel's block, at whose start memory is made.
    pub(super) kernel: Block<'p>,
    /// Operations that members meet at, and everything around them.
    pub(super) meeting: HashSet<Op<'p>>,
    pub(super) segments: Vec<Segment<'p>>,
    pub(super) blocks: Vec<Block<'p>>,
    /// The segment that makes a value; `None` where it only lives in memory.
    pub(super) made: HashMap<Val<'p>, Option<usize>>,
    pub(super) homes: HashMap<Val<'p>, Home<'p>>,
    /// What the copies in segments are copies of.
    pub(super) originals: HashMap<Val<'p>, Val<'p>>,
}

/// Where a value lives between segments.
#[derive(Clone, Copy)]
pub(crate) enum Home<'p> {
    /// One line for all members.
    Cell(Val<'p>),
    /// A line for each member.
    Array(Val<'p>),
}

/// Makes memory of the group for one value a unit.
pub(crate) fn array<'p>(split: &Split<'_, 'p>, ty: cube_ir::Type<'p>) -> Val<'p> {
    memory::shared(split.kernel, u64::from(split.shape.units()), ty)
}

/// Whether an operation only computes numbers. For some operands it may be undefined, as a division is.
pub(crate) fn is_pure(op: Op<'_>) -> bool {
    has_no_effects(op)
        && !is_convergent(op)
        && !is_terminator(op)
        && op.regions().len() == 0
        && op.results().all(|r| r.ty().is_int() || r.ty().is_fp() || r.ty().is_index() || r.ty().lanes().is_some())
}
