//! Cuts a block that all units of a cube run together into pieces that each unit runs alone.
//!
//! Between two barriers the order of units does not matter, so each stretch becomes a loop over the units. Three kinds of
//! operations are left at the level of the cube: what is pure and the same for all units runs once; a barrier is gone; control
//! flow around a barrier stands around the loops, with the one decision that all units take. Values that live from one stretch to another go through memory (`values`), results and carried
//! values of such control flow too (`control`).
mod control;
mod state;
mod values;

pub(super) use state::{LOOP, PLANE_LOOP, Segment, Split, UNIT_LOOPS, is_pure};

use cube_ir::ops::memref;
use cube_ir::{Block, Builder, Failed, Op, PassResult, Run, Val};
use cube_passes::analysis::uniformity::{Shape, Uniform, Uniformity};
use std::collections::{HashMap, HashSet};

/// What a pass makes of a meeting place; the segment before it is open until it is closed.
pub(super) type Meet<'r, 'p> = fn(&mut Split<'r, 'p>, op: Op<'p>, open: &mut Option<Segment<'p>>) -> PassResult;

impl<'r, 'p> Split<'r, 'p> {
    pub fn new(
        run: &'r mut Run<'p>,
        shape: Shape,
        meets: fn(Op<'_>) -> bool,
        uniformity: &'r Uniformity<'p>,
        kernel: Op<'p>,
    ) -> Self {
        let block = kernel.body().expect("kernels have a body");
        Split {
            run,
            shape,
            meets,
            uniformity,
            kernel: block,
            meeting: HashSet::new(),
            segments: Vec::new(),
            blocks: Vec::new(),
            made: HashMap::new(),
            homes: HashMap::new(),
            originals: HashMap::new(),
        }
    }

    /// Splits `block`, whose parent is run once by the group.
    pub fn split(mut self, block: Block<'p>, meet: Meet<'r, 'p>) -> PassResult {
        let parent = block.parent().expect("attached");
        for op in parent.walk().into_iter().filter(|op| (self.meets)(*op)) {
            self.meeting.insert(op);
            self.meeting.extend(op.ancestors());
        }
        self.block(block, &control::Leave::default(), meet)?;
        self.connect()
    }

    // Cuts one block; `leave` says what leaves it through memory at its end.
    fn block(&mut self, block: Block<'p>, leave: &control::Leave<'p>, meet: Meet<'r, 'p>) -> PassResult {
        self.blocks.push(block);
        let mut open: Option<Segment<'p>> = None;
        let ops = block.ops();
        let Some((end, ops)) = ops.split_last() else { return Ok(()) };
        for op in ops {
            if op.is(memref::ALLOCA) {
                continue;
            }
            if self.meeting.contains(op) {
                match op.regions().len() {
                    0 => meet(self, *op, &mut open)?,
                    _ => self.around(*op, &mut open, meet)?,
                }
            } else if self.runs_once(*op) {
                if let Some(segment) = open {
                    op.move_before(segment.outer);
                }
            } else {
                let segment = self.ensure(&mut open, *op);
                op.move_before(segment.end);
                op.results().for_each(|r| _ = self.made.insert(r, Some(segment.number)));
            }
        }
        for (i, (number, home)) in leave.stores.iter().enumerate() {
            let value = leave.end.unwrap_or(*end).operand(*number);
            if leave.carried.get(i).is_some_and(|before| self.replaces(ops, value, *before)) {
                self.keep_in(value, *home);
                continue;
            }
            let segment = self.ensure(&mut open, *end);
            self.store_member(Builder::before(segment.end), value, *home);
        }
        if let Some(end) = leave.end {
            // It belongs to an operation that is gone, and must not look like a use.
            end.set_operands(&[]);
        }
        Ok(())
    }

    // Whether `value`, which a loop carries on, may take the place of what it carried so far as soon as it is made: nobody
    // looks at that afterwards.
    fn replaces(&self, ops: &[Op<'p>], value: Val<'p>, before: Val<'p>) -> bool {
        let place = |op: Op<'p>| {
            let outer = std::iter::once(op).chain(op.ancestors());
            outer.into_iter().find_map(|op| ops.iter().position(|o| *o == op))
        };
        let made = matches!(self.made.get(&value), Some(Some(_))) && !self.homes.contains_key(&value);
        let own = value.def().filter(|def| made && ops.contains(def) && !self.is_uniform(value));
        let Some(at) = own.and_then(place) else { return false };
        before.uses().into_iter().all(|(user, _)| place(user).is_some_and(|user| user <= at))
    }

    /// The open segment, or a new one before `op`.
    pub fn ensure(&mut self, open: &mut Option<Segment<'p>>, op: Op<'p>) -> Segment<'p> {
        *open.get_or_insert_with(|| {
            let (outer, end) = members(Builder::before(op), self.shape);
            let segment = Segment { number: self.segments.len(), outer, end };
            self.segments.push(segment);
            segment
        })
    }

    /// Whether the value is the same for all members.
    pub fn is_uniform(&self, value: Val<'p>) -> bool {
        self.uniformity.among_all(value) <= Uniform::Cube
    }

    fn runs_once(&self, op: Op<'p>) -> bool {
        let outside = |v: Val<'p>| !self.made.contains_key(&v);
        is_pure(op) && op.results().all(|r| self.is_uniform(r)) && op.operands().all(outside)
    }

    // Control flow around a meeting place stands around the loops over members.
    fn around(&mut self, op: Op<'p>, open: &mut Option<Segment<'p>>, meet: Meet<'r, 'p>) -> PassResult {
        if self.uniformity.decided_by(op) > Uniform::Cube {
            return Err(self.divergent(op));
        }
        for (block, leave) in self.rebuild(op, open)? {
            self.block(block, &leave, meet)?;
        }
        Ok(())
    }

    fn divergent(&self, op: Op<'p>) -> Failed {
        let inside = op.walk();
        let place = inside.iter().copied().find(|o| (self.meets)(*o)).unwrap_or(op);
        place.error_with_notes(
            cube_ir::diagnostic!(CUBE0340.divergent { barrier: place.name(), around: op.name() }),
            &[(op.location(), "the decision is made here")],
        );
        Failed
    }
}

// The loops over the units of a cube, empty: the outermost one, and the end of the innermost body.
fn members<'p>(b: Builder<'p>, shape: Shape) -> (Op<'p>, Op<'p>) {
    let mut at = b;
    let mut outer = None;
    let mut end = None;
    for axis in (0..3).rev().filter(|axis| *axis == 0 || shape.dim[*axis] > 1) {
        let i64t = at.cx().int(64);
        let count = at.int(i64t, i64::from(shape.dim[axis]));
        let (looped, last) = member_loop(at, count, UNIT_LOOPS[axis]);
        outer.get_or_insert(looped);
        end = Some(last);
        at = Builder::before(last).with_location(b.location());
    }
    (outer.expect("axis 0"), end.expect("axis 0"))
}

/// A loop over `count` members, empty, with its end.
pub(super) fn member_loop<'p>(b: Builder<'p>, count: Val<'p>, word: &str) -> (Op<'p>, Op<'p>) {
    let i64t = b.cx().int(64);
    let looped = b.for_range(b.int(i64t, 0), count, b.int(i64t, 1), |_, _| {});
    looped.set_attr(LOOP, b.cx().str_attr(word));
    let end = looped.body().and_then(|body| body.terminator()).expect("loops end in a yield");
    (looped, end)
}

/// Whether a member loop of this word stands around `op`.
pub(super) fn loop_word<'p>(op: Op<'p>) -> Option<&'p str> {
    use cube_ir::AttrExt;
    op.attr(LOOP).and_then(|a| a.as_str())
}

/// Whether the units of a kernel have been given loops.
pub(super) fn is_split(kernel: Op<'_>) -> bool {
    kernel.walk().into_iter().any(|op| loop_word(op).is_some())
}
