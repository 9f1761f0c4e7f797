//! SPMD vectorisation of a group of units: values become vectors, and divergent control flow becomes masks.
//!
//! A group is a plane. If a kernel never uses planes, a group is a range of units along the x axis. The emitter
//! traverses the code of a unit once and emits code for the group. Each value has the most compact of three
//! representations (`form.rs`). A uniform value is one number. An affine value is a base and a step, so an access with
//! an affine index is one vector load. A varying value is a vector. Uniform control flow is kept. In divergent control
//! flow, both arms of a branch run under masks, and a loop iterates until the last lane is done (`flow.rs`). Several
//! groups run side by side in one body (`parts`). Several groups in one body hide the latency of additions and share
//! loads. Values that are equal in the groups are computed once.
//!
//! The following example shows masks in a plane of 32 lanes (`test/lower/vectorize_spmd.masks.mlir` tests the
//! example). Before:
//!
//! ```text
//! %low = arith.cmpi slt, %v, %n : i32
//! %r = scf.if %low -> (i32) {
//!   %a = arith.addi %v, %sum : i32
//!   memref.store %a, %x[%i] : memref<?xi32>
//!   scf.yield %a : i32
//! } else {
//!   memref.store %n, %y[%i] : memref<?xi32>
//!   scf.yield %n : i32
//! }
//! ```
//!
//! After the pass `%v` and `%a` are vectors, `%ns` is `%n` in each lane, and `%i` is the base 0:
//!
//! ```text
//! %low = arith.cmpi slt, %v, %ns : vector<32xi32>
//! %a = arith.addi %v, %sums : vector<32xi32>
//! vector.maskedstore %x[%c0], %low, %a
//! %high = arith.xori %low, %on : vector<32xi1>
//! vector.maskedstore %y[%c0], %high, %ns
//! %r = arith.select %low, %a, %ns : vector<32xi1>, vector<32xi32>
//! ```
//!
//! For a branch inside an arm of another branch, `arith.select %outer, %inner, %off` combines the mask of the
//! inner branch with the mask of the outer arm. The complement of `%inner` alone would activate lanes that the
//! outer branch excludes.
mod access;
mod compute;
mod flow;
mod form;
mod group;
mod loops;
pub(super) mod narrow;
mod plane_ops;
mod state;
#[cfg(test)]
mod tests;
mod unit_positions;

pub(super) use compute::is_safe_without_active_lanes;
use cube_dialect::attributes::DEBUG;
use cube_dialect::{UnitLoop, is_atomic, properties::is_plane_op};
use cube_ir::ops::{arith, cube, memref, scf};
use cube_ir::{Block, Builder, Failed, Op, PassResult, Run, Type, Val};
use cube_passes::analysis::uniformity::{Uniform, Uniformity};
use form::ValueForm;
pub(super) use group::Group;
pub(super) use state::SpmdEmitter;
use state::{EmitContext, Sharing};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Maximum numbers of operations of a body for which several groups run side by side, each with the number of
/// groups.
const JAM_OPS: [(usize, u32); 3] = [(48, 8), (128, 4), (256, 2)];

/// Maximum number of vectors that a loop carries; the largest register files have 32 vector registers.
const REGISTERS: u32 = 16;

impl<'r, 'p> SpmdEmitter<'r, 'p> {
    pub fn new(run: &'r mut Run<'p>, group: Group, uniformity: &'r Uniformity<'p>, kernel: Op<'p>) -> Self {
        SpmdEmitter {
            run,
            group,
            uniformity,
            kernel: kernel.body().expect("kernels have a body"),
            values: HashMap::new(),
            numbers: Vec::new(),
            present: None,
            failed: Cell::new(false),
            ops: HashSet::new(),
            scattered: Vec::new(),
            written: Vec::new(),
        }
    }

    /// Emits `ops`, the code of one unit, for all units of a cube. A loop over full groups precedes `before`, and the
    /// last, partial group follows the loop.
    pub fn write(&mut self, ops: &[Op<'p>], before: Op<'p>) -> PassResult {
        let Group { lanes, shape, .. } = self.group;
        let (full, rest) = (shape.units() / lanes, shape.units() % lanes);
        self.ops = ops.iter().copied().filter(|op| !op.is(memref::ALLOCA)).collect();
        if full > 0 {
            let parts = self.parts(ops, full);
            self.groups(ops, before, [0, full / parts, parts], None);
        }
        if rest > 0 {
            self.groups(ops, before, [full, 1, 1], Some(rest));
        }
        if self.failed.get() { Err(Failed) } else { Ok(()) }
    }

    /// Whether the emitted code has gathers or scatters in a loop. A scalar loop over the units is faster than gathers
    /// and scatters in a loop.
    pub fn scatters_in_loops(&self) -> bool {
        let is_loop = |op: Op<'p>| op.is(scf::FOR) || op.is(scf::WHILE);
        self.scattered.iter().any(|(op, _)| op.ancestors().any(is_loop))
    }

    /// Erases the emitted code.
    pub fn undo(self) {
        self.written.into_iter().for_each(|loop_op| self.run.erase(loop_op));
    }

    /// Emits a remark for each slow access.
    pub fn remark(&self) {
        for (op, does) in &self.scattered {
            self.run.missed(
                *op,
                "access",
                format_args!("{} vectorised units {does} elements that are not adjacent", self.group.lanes),
                "let neighbouring units access neighbouring elements: index with unit_pos_x or absolute_pos_x, without a factor",
            );
        }
    }

    // The number of groups that run side by side.
    fn parts(&self, ops: &[Op<'p>], full: u32) -> u32 {
        // With debug information, each group runs separately.
        if self.kernel.parent().is_some_and(|kernel| kernel.attr(DEBUG).is_some()) {
            return 1;
        }
        let ops: Vec<Op<'p>> = ops.iter().flat_map(|op| op.walk()).collect();
        let parts =
            |op: &Op<'p>| op.regions().len() > 0 && self.uniformity.decided_by(*op) > Uniform::Plane || is_atomic(*op);
        // Branches that contain only loads do not count as divergent.
        let heavy = |op: &Op<'p>| parts(op) && !flow::is_light(*op);
        // The processor overlaps straight-line code of one group by itself. Only loops and plane operations
        // wait for earlier results.
        let waits = |op: &Op<'p>| op.is(scf::FOR) || op.is(scf::WHILE) || is_plane_op(*op);
        if ops.iter().any(heavy) || !ops.iter().any(waits) {
            return 1;
        }
        let most = JAM_OPS.iter().find(|(size, _)| ops.len() <= *size).map_or(1, |(_, most)| *most);
        let most = most.min(REGISTERS / self.most_carried(&ops).max(1)) * 16 / self.group.lanes.max(16);
        (0..4).rev().map(|k| 1 << k).find(|n| *n <= most && full.is_multiple_of(*n)).unwrap_or(1)
    }

    // The largest number of group-specific values that a loop carries in registers.
    fn most_carried(&self, ops: &[Op<'p>]) -> u32 {
        let own = |op: &Op<'p>| {
            let arguments = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
            arguments.filter(|v| self.uniformity.level_of(*v) > Uniform::Plane).count() as u32
        };
        ops.iter().map(own).max().unwrap_or(0)
    }

    // Emits `trip_count` times `parts` groups, starting with group `first`. The groups have `rest` lanes with a unit.
    fn groups(&mut self, ops: &[Op<'p>], before: Op<'p>, [first, trip_count, parts]: [u32; 3], rest: Option<u32>) {
        let b = Builder::before(before);
        let i32t = b.cx().int(32);
        let (loop_op, end) = super::split::unit_loop(b, UnitLoop::Plane, trip_count);
        self.written.push(loop_op);
        let b = Builder::before(end);
        let iteration = b.cast(arith::INDEX_CASTUI, loop_op.body().expect("just made").arg(0), i32t);
        let start = b.muli(iteration, b.int(i32t, i64::from(parts)));
        let number = |k: u32| b.addi(start, b.int(i32t, i64::from(first + k)));
        self.numbers = (0..parts).map(number).collect();
        self.present = rest.map(|rest| self.group.flags(b, |lane| lane < rest));
        self.values.clear();
        let parts: Vec<usize> = (0..parts as usize).collect();
        let at = EmitContext {
            b,
            masks: vec![self.present; parts.len()],
            parts,
            any_active: true,
            no_wrap: Vec::new(),
            cold: false,
        };
        self.ops(&at, ops);
    }

    // Emits a block without its terminator.
    fn block(&mut self, at: &EmitContext<'p>, block: Block<'p>) {
        let ops = block.ops();
        self.ops(at, &ops[..ops.len().saturating_sub(1)]);
    }

    fn ops(&mut self, at: &EmitContext<'p>, ops: &[Op<'p>]) {
        for op in ops {
            if !self.failed.get() {
                self.op(&at.at(*op), *op);
            }
        }
    }

    fn op(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        match op.kind() {
            memref::ALLOCA => {}
            scf::IF => self.branch(at, op),
            scf::INDEX_SWITCH => self.switch(at, op),
            scf::FOR => self.counted(at, op),
            scf::WHILE => self.conditional(at, op),
            cube::TOPOLOGY => self.topology(at, op),
            memref::LOAD => self.load(at, op),
            memref::STORE => self.store(at, op),
            // The active lanes are already at the same instruction.
            cube::SYNC => {}
            // One mark is sufficient for all lanes.
            cube::MAY_NOT_TERMINATE => _ = at.b.op(op.kind()).build(),
            _ if is_plane_op(op) => self.plane_op(at, op),
            _ => self.compute(at, op),
        }
    }

    // The form of a value. Values from outside the vectorised operations are uniform in the cube.
    fn form(&self, value: Val<'p>, part: usize) -> ValueForm<'p> {
        self.values.get(&(value, part)).copied().unwrap_or_else(|| {
            if let Some(op) = self.made_inside(value) {
                self.refuse(op);
            }
            ValueForm::Uniform(value)
        })
    }

    // The vectorised operation that defines a value or contains the value's block.
    fn made_inside(&self, value: Val<'p>) -> Option<Op<'p>> {
        let op = value.def().or_else(|| value.block_arg()?.0.parent())?;
        let mut around = std::iter::once(op).chain(op.ancestors());
        around.any(|op| self.ops.contains(&op)).then_some(op).filter(|op| !op.is(memref::ALLOCA))
    }

    // Reports an operation without a vector form; the emission ends.
    fn refuse(&self, op: Op<'p>) {
        if !self.failed.replace(true) {
            op.error(cube_ir::diagnostic!(CUBE0398.together));
        }
    }

    fn set(&mut self, at: &EmitContext<'p>, value: Val<'p>, part: usize, form: ValueForm<'p>) {
        let form = match form {
            ValueForm::Uniform(_) => form,
            _ if self.uniformity.level_of(value) <= Uniform::Plane => {
                ValueForm::Uniform(self.one(at.b, form, value.ty(), at.masks[part]))
            }
            _ => form,
        };
        self.values.insert((value, part), form);
    }

    // The value of all active lanes, taken from a form that does not show its uniformity.
    fn one(&self, b: Builder<'p>, form: ValueForm<'p>, ty: Type<'p>, mask: Option<Val<'p>>) -> Val<'p> {
        match form {
            ValueForm::Uniform(value) => value,
            ValueForm::Affine(step) if mask.is_none() && step.narrow.is_none() => step.base,
            _ => {
                let all = self.group.broadcast(b, form, ty);
                // In a partial group the first lane always has a unit.
                match mask.filter(|mask| Some(*mask) != self.present) {
                    None => self.group.lane(b, all, 0, ty),
                    Some(mask) => self.group.lane_at(b, all, self.group.first_of(b, mask), ty),
                }
            }
        }
    }

    fn broadcast(&self, b: Builder<'p>, value: Val<'p>, part: usize) -> Val<'p> {
        self.group.broadcast(b, self.form(value, part), value.ty())
    }

    // Emits an operation once for each group, or once for all groups that can share the result.
    fn each(
        &mut self,
        at: &EmitContext<'p>,
        op: Op<'p>,
        share: Sharing,
        mut make: impl FnMut(&mut Self, usize, &[ValueForm<'p>], Option<Val<'p>>) -> Vec<ValueForm<'p>>,
    ) {
        type Known<'p> = (Vec<ValueForm<'p>>, Option<Val<'p>>, Vec<ValueForm<'p>>);
        let mut made: Vec<Known<'p>> = Vec::new();
        for part in at.parts.clone() {
            let operands: Vec<ValueForm<'p>> = op.operands().map(|v| self.form(v, part)).collect();
            let mask = at.masks[part];
            let same = |(o, m, _): &&Known<'p>| {
                share != Sharing::Never && *o == operands && (share == Sharing::Always || *m == mask)
            };
            let known = made.iter().find(same).map(|known| known.2.clone());
            if let Some(forms) = known {
                for (result, form) in op.results().zip(forms) {
                    self.values.insert((result, part), form);
                }
                continue;
            }
            let forms = make(self, part, &operands, mask);
            for (result, form) in op.results().zip(forms) {
                self.set(at, result, part, form);
            }
            let forms = op.results().map(|r| self.form(r, part)).collect();
            made.push((operands, mask, forms));
        }
    }
}
