//! Splits a block that all units of a cube reach into loops over the units.
//!
//! Between two barriers the order of units does not matter, so each segment becomes a loop over the units. Three kinds
//! of operations are not in the loops over units. A pure, uniform operation runs once. The pass erases barriers.
//! Uniform control flow that contains a barrier encloses the unit loops. Values that live across a barrier are stored
//! in memory (`values`). Results and carried values of control flow around barriers are also stored in memory
//! (`control`).
mod control;
mod state;
mod values;

pub(super) use state::{Segment, Split, is_pure};

use cube_dialect::{UnitLoop, check_unit_loops};
use cube_ir::ops::{memref, scf};
use cube_ir::{Block, Builder, Failed, Level, Op, PassResult, Run, Val};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniform, Uniformity};
use cube_passes::levels::{Allowed, Contract, LEGAL, LEGAL_LEVEL, and};
use std::collections::{HashMap, HashSet};

/// The contract of level mixed: level legal, with the loops over units (`cube_dialect::UnitLoop`) that
/// `split-barrier-regions` and `vectorize-spmd` create, and with prefetches.
pub(super) const MIXED: Contract = Contract {
    level: Level::Mixed,
    ops: &WITH_LOOPS,
    meaning: "a kernel of level legal, with loops over the units of a cube",
    ..LEGAL_LEVEL
};

const WITH_LOOPS: [&[Allowed]; LEGAL.len() + 1] = and(LEGAL, LOOPS);

const LOOPS: &[Allowed] =
    &[Allowed::One(scf::FORALL), Allowed::One(scf::FORALL_IN_PARALLEL), Allowed::One(memref::PREFETCH)];

/// The handler of a convergent operation. The segment before the convergent operation stays open until the
/// handler closes the segment.
pub(super) type ConvergentHandler<'r, 'p> =
    fn(&mut Split<'r, 'p>, op: Op<'p>, open: &mut Option<Segment<'p>>) -> PassResult;

impl<'r, 'p> Split<'r, 'p> {
    pub fn new(
        run: &'r mut Run<'p>,
        shape: CubeGeometry,
        is_barrier: fn(Op<'_>) -> bool,
        uniformity: &'r Uniformity<'p>,
        kernel: Op<'p>,
    ) -> Self {
        let block = kernel.body().expect("kernels have a body");
        Split {
            run,
            shape,
            is_barrier,
            uniformity,
            kernel: block,
            around_barriers: HashSet::new(),
            segments: Vec::new(),
            blocks: Vec::new(),
            defining_segment: HashMap::new(),
            storage: HashMap::new(),
            originals: HashMap::new(),
        }
    }

    /// Splits `block`. The operation that contains the block runs once for the whole group of units.
    pub fn split(mut self, block: Block<'p>, handle: ConvergentHandler<'r, 'p>) -> PassResult {
        let parent = block.parent().expect("attached");
        for op in parent.walk().into_iter().filter(|op| (self.is_barrier)(*op)) {
            self.around_barriers.insert(op);
            self.around_barriers.extend(op.ancestors());
        }
        self.block(block, &control::LeavingValues::default(), handle)?;
        self.connect()
    }

    // Splits one block; `leave` lists the values that the end of the block stores in memory.
    fn block(
        &mut self,
        block: Block<'p>,
        leave: &control::LeavingValues<'p>,
        handle: ConvergentHandler<'r, 'p>,
    ) -> PassResult {
        self.blocks.push(block);
        let mut open: Option<Segment<'p>> = None;
        let ops = block.ops();
        let Some((end, ops)) = ops.split_last() else { return Ok(()) };
        for op in ops {
            if op.is(memref::ALLOCA) {
                continue;
            }
            if self.around_barriers.contains(op) {
                match op.regions().len() {
                    0 => handle(self, *op, &mut open)?,
                    _ => self.around(*op, &mut open, handle)?,
                }
            } else if self.runs_once(*op) {
                if let Some(segment) = open {
                    op.move_before(segment.outer);
                }
            } else {
                let segment = self.ensure(&mut open, *op);
                op.move_before(segment.end);
                op.results().for_each(|r| _ = self.defining_segment.insert(r, Some(segment.number)));
            }
        }
        for (i, (number, memory)) in leave.stores.iter().enumerate() {
            let value = leave.end.unwrap_or(*end).operand(*number);
            if leave.body_arguments.get(i).is_some_and(|before| self.replaces(ops, value, *before)) {
                self.keep_in(value, *memory);
                continue;
            }
            let segment = self.ensure(&mut open, *end);
            self.store_unit(Builder::before(segment.end), value, *memory);
        }
        if let Some(end) = leave.end {
            // The operands belong to a removed operation and must not count as uses.
            end.set_operands(&[]);
        }
        Ok(())
    }

    // Whether the next carried value `value` can overwrite the old value `before` as soon as `value` is computed. This
    // requires that `before` has no later use.
    fn replaces(&self, ops: &[Op<'p>], value: Val<'p>, before: Val<'p>) -> bool {
        let position = |op: Op<'p>| {
            let outer = std::iter::once(op).chain(op.ancestors());
            outer.into_iter().find_map(|op| ops.iter().position(|o| *o == op))
        };
        let is_in_segment =
            matches!(self.defining_segment.get(&value), Some(Some(_))) && !self.storage.contains_key(&value);
        let own = value.def().filter(|def| is_in_segment && ops.contains(def) && !self.is_uniform(value));
        let Some(at) = own.and_then(position) else { return false };
        before.uses().into_iter().all(|(user, _)| position(user).is_some_and(|user| user <= at))
    }

    /// The open segment, or a new segment before `op`.
    pub fn ensure(&mut self, open: &mut Option<Segment<'p>>, op: Op<'p>) -> Segment<'p> {
        *open.get_or_insert_with(|| {
            let (outer, end) = unit_loops(Builder::before(op), self.shape);
            let segment = Segment { number: self.segments.len(), outer, end };
            self.segments.push(segment);
            segment
        })
    }

    /// Whether the value is uniform over the cube.
    pub fn is_uniform(&self, value: Val<'p>) -> bool {
        self.uniformity.among_all(value) <= Uniform::Cube
    }

    fn runs_once(&self, op: Op<'p>) -> bool {
        let outside = |v: Val<'p>| !self.defining_segment.contains_key(&v);
        is_pure(op) && op.results().all(|r| self.is_uniform(r)) && op.operands().all(outside)
    }

    // Rebuilds control flow that contains a barrier around the loops over units.
    fn around(&mut self, op: Op<'p>, open: &mut Option<Segment<'p>>, handle: ConvergentHandler<'r, 'p>) -> PassResult {
        // Other operations cannot contain a barrier; `rebuild` reports them.
        let known = matches!(op.kind(), scf::IF | scf::INDEX_SWITCH | scf::FOR | scf::WHILE);
        if known && self.uniformity.decided_by(op) > Uniform::Cube {
            return Err(self.divergent(op));
        }
        for (block, leave) in self.rebuild(op, open)? {
            self.block(block, &leave, handle)?;
        }
        Ok(())
    }

    fn divergent(&self, op: Op<'p>) -> Failed {
        let inside = op.walk();
        let position = inside.iter().copied().find(|o| (self.is_barrier)(*o)).unwrap_or(op);
        position.error_with_notes(
            cube_ir::diagnostic!(CUBE0340.divergent { barrier: position.name(), around: op.name() }),
            &[(op.location(), "the divergent control flow is here")],
        );
        Failed
    }
}

// Creates empty loops over the units of a cube; returns the outermost one, and the end of the innermost body.
fn unit_loops<'p>(b: Builder<'p>, shape: CubeGeometry) -> (Op<'p>, Op<'p>) {
    let mut at = b;
    let mut outer = None;
    let mut end = None;
    for axis in (0..3).rev().filter(|axis| *axis == 0 || shape.dim[*axis] > 1) {
        let (loop_op, last) = unit_loop(at, UnitLoop::Unit(axis), shape.dim[axis]);
        outer.get_or_insert(loop_op);
        end = Some(last);
        at = Builder::before(last).with_location(b.location());
    }
    (outer.expect("axis 0"), end.expect("axis 0"))
}

/// An empty loop over `count` units or planes, with its terminator.
pub(super) fn unit_loop<'p>(b: Builder<'p>, own: UnitLoop, count: u32) -> (Op<'p>, Op<'p>) {
    let loop_op = own.build(b, count);
    let end = loop_op.body().and_then(|body| body.terminator()).expect("loops end in a yield");
    (loop_op, end)
}

/// Whether the kernel contains loops over units.
///
/// # Errors
/// The loops do not cover the units of the kernel. The cause is an earlier pass that removed, copied or changed a loop.
pub(super) fn is_split(kernel: Op<'_>) -> Result<bool, Failed> {
    if let Err((op, rule)) = check_unit_loops(kernel) {
        op.error(cube_ir::diagnostic!(CUBE0398.unit_loop { rule }));
        return Err(Failed);
    }
    Ok(kernel.walk().into_iter().any(|op| op.is(scf::FORALL)))
}
