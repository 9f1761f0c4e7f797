//! Decides whether a kernel is coarsened, by which factor, and which accesses become wide.
use super::missed::{MissedRemark, missed};
use super::sum::Index;
use crate::analysis::affine::Affine;
use crate::analysis::effects::is_total;
use crate::analysis::registers;
use cube_dialect::{
    AccessKind, Bounds, BufferType, CUBE_COUNT, TopologyKind, access_of, alignment_of, bounds_of, is_same_in_memory,
    ops, target_of,
};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::properties::{EffectKind, Effects, MEMORY, holds_convergent, is_terminator, own_effects};
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Op, Run, Val};
use cube_target::Coarsening;
use std::collections::HashMap;

/// Maximum number of operations of a kernel's wide form. In a larger kernel, instruction fetch costs more than the wide
/// accesses save.
const MAX_OPERATIONS: u64 = 4096;

/// Elements of a unit of the first cubes, if an element fills the widest access. On lavapipe, `add` with lines of 4 takes 0.87
/// of its time with 4 elements, 0.91 with 2, and 0.89 with 8.
const STRIDES: u64 = 4;

/// Maximum number of operations that the pass copies to compute one condition.
const FUEL: u32 = 64;

/// An access at the position of the unit, or at a constant distance from this position.
pub(super) struct Wide<'p> {
    pub op: Op<'p>,
    pub buffer: Val<'p>,
    pub checked: bool,
    /// The index as a sum; `None` if the index is the position.
    pub index: Option<Index<'p>>,
}

/// A load in a loop, at an index that is equal for all elements of a unit.
pub(super) struct Common<'p> {
    pub op: Op<'p>,
    pub buffer: Val<'p>,
    pub index: Index<'p>,
}

/// A branch that all elements of a unit take together in the wide form.
#[derive(Clone, Copy)]
pub(super) struct Guard<'p> {
    pub branch: Op<'p>,
    pub condition: Val<'p>,
    /// Whether all elements take the first region of the branch.
    pub truth: bool,
}

/// The plan for the transformation of one kernel.
#[derive(Default)]
pub(super) struct Plan<'p> {
    /// The number of neighbouring elements of a unit, at least 2; 1 if `strides` is more than 1.
    pub taken: u64,
    /// The number of iterations of a unit, whose elements are a cube dim apart; 1 if the elements are neighbours.
    pub strides: u64,
    /// The operations that compute the position; at least one.
    pub positions: Vec<Op<'p>>,
    /// Whether the position counts units along all axes of the launch, and not only along x.
    pub linear: bool,
    /// Whether all units of a cube have the same form of the code (`coarsen/cubes.rs`).
    pub by_cubes: bool,
    pub wide: Vec<Wide<'p>>,
    /// Checked loads in loops, at indices that are equal for all elements of a unit.
    pub common: Vec<Common<'p>>,
    /// Loops in which all elements of a unit run the same iterations.
    pub loops: Vec<Op<'p>>,
    pub conditions: Vec<Guard<'p>>,
    /// Divisors that must not be 0, because a division by 0 would invalidate the index sums.
    pub nonzero: Vec<Val<'p>>,
}

/// The plan for a kernel; `None` if the target does not coarsen kernels or the kernel is already coarsened.
pub(super) fn plan<'p>(run: &Run<'p>, kernel: ops::Kernel<'p>) -> Result<Option<Plan<'p>>, MissedRemark<'p>> {
    let bits = match u64::try_from(run.int("bits")) {
        Ok(0) | Err(_) => match target_of(kernel.op()) {
            target if target.coarsens.is_some() => u64::from(target.access_bits),
            _ => return Ok(None),
        },
        Ok(bits) => bits.min(1024),
    };
    if kernel.op().attr(CUBE_COUNT).is_some() {
        return Ok(None);
    }
    let all = kernel.op().walk();
    let (positions, linear) = positions(kernel, &all)?;
    all.iter().filter(|op| **op != kernel.op()).try_for_each(|op| legal(*op))?;
    let by_cubes = run.int("bits") == 0 && target_of(kernel.op()).coarsens == Some(Coarsening::Cubes);
    let mut plan = Plan { positions, linear, by_cubes, strides: 1, ..Plan::default() };
    plan.scan(&kernel.block().map(|block| block.ops()).unwrap_or_default());
    let bytes = |access: &Wide<'p>| BufferType::of(access.buffer.ty()).map_or(1, BufferType::line_bytes);
    let most = plan.wide.iter().map(bytes).max();
    let lines = bits / 8 / most.unwrap_or(1);
    let mut wide = std::mem::take(&mut plan.wide);
    wide.retain(|access| access.index.as_ref().is_none_or(|index| plan.can_align(index, lines)));
    plan.wide = wide;
    plan.loops_are_shared(&all)?;
    let Some(most) = most.filter(|_| !plan.wide.is_empty()) else {
        return Err(missed(
            kernel.op(),
            "no-neighbours",
            "no access of a scalar in global memory has the position of the unit as its index",
            "index buffers with absolute_pos, so that neighbouring units access neighbouring elements",
        ));
    };
    plan.taken = bits / 8 / most;
    let is_scalar = |access: &Wide<'p>| {
        let buffer = BufferType::of(access.buffer.ty());
        buffer.is_some_and(|buffer| buffer.line == 1 && is_same_in_memory(buffer.element))
    };
    if by_cubes && (plan.taken < 2 || !plan.wide.iter().all(is_scalar)) {
        (plan.taken, plan.strides) = (1, STRIDES);
        return Ok(Some(plan));
    }
    if plan.taken < 2 || !plan.taken.is_power_of_two() {
        return Err(missed(
            kernel.op(),
            "wide-elements",
            "one element fills the target's widest access",
            "no change is needed",
        ));
    }
    if all.len() as u64 * plan.taken > MAX_OPERATIONS {
        return Err(missed(
            kernel.op(),
            "size",
            "the code of several elements exceeds 4096 operations",
            "split the kernel, or load lines of several elements",
        ));
    }
    plan.fit_registers(run, kernel)?;
    Ok(Some(plan))
}

impl<'p> Plan<'p> {
    // Halves the number of elements until the values of a unit fit into its registers. The limit is the number of
    // registers at an eighth of the full occupancy. Above this limit, registers would be spilled.
    fn fit_registers(&mut self, run: &Run<'p>, kernel: ops::Kernel<'p>) -> Result<(), MissedRemark<'p>> {
        let limit = match u64::try_from(run.int("registers")) {
            Ok(0) | Err(_) => target_of(kernel.op()).registers.map(|at_full| 8 * u64::from(at_full)),
            Ok(limit) => Some(limit),
        };
        let Some(limit) = limit else { return Ok(()) };
        let (widest, needed) = (self.taken, registers::of_copies(kernel.op(), self.taken));
        while self.taken > 1 && registers::of_copies(kernel.op(), self.taken) > limit {
            self.taken /= 2;
        }
        if self.taken < 2 {
            return Err(missed(
                kernel.op(),
                "registers",
                "the values of two elements exceed the registers of a unit",
                "split the kernel, so that fewer values are live at a time",
            ));
        }
        if self.taken < widest {
            let taken = self.taken;
            let why = format!(
                "each unit computes {taken} elements instead of {widest}, because {widest} elements need about {needed} registers, and a unit has {limit}"
            );
            run.analysis(kernel.op(), "registers", why);
        }
        Ok(())
    }
}

// The operations that compute the position along which a unit takes neighbouring elements.
fn positions<'p>(kernel: ops::Kernel<'p>, all: &[Op<'p>]) -> Result<(Vec<Op<'p>>, bool), MissedRemark<'p>> {
    let mut positions: Vec<Op<'p>> = vec![];
    let (mut linear, mut along_x) = (false, false);
    for op in all {
        let Some(topology) = ops::Topology::of(*op) else { continue };
        match topology.kind() {
            TopologyKind::AbsolutePos => linear = true,
            TopologyKind::AbsolutePosX => along_x = true,
            // These positions are equal for all elements of a unit.
            TopologyKind::AbsolutePosY | TopologyKind::AbsolutePosZ => continue,
            _ => {
                return Err(missed(
                    *op,
                    "topology",
                    "the kernel reads the position of a unit in its cube or plane, or the number of units",
                    "compute indices only from absolute_pos",
                ));
            }
        }
        positions.push(*op);
    }
    let dim = kernel.facts().cube_dim;
    let block = kernel.block();
    if let Some(inner) = positions.iter().find(|op| op.block() != block) {
        return Err(missed(
            *inner,
            "branch",
            "the position is read in a branch",
            "read the position at the start of the kernel",
        ));
    }
    match (positions.is_empty(), linear && along_x, linear && dim[1] * dim[2] != 1) {
        (true, ..) => Err(missed(
            kernel.op(),
            "no-position",
            "the kernel does not read the absolute position of its unit",
            "index buffers with absolute_pos",
        )),
        (_, true, _) => Err(missed(
            kernel.op(),
            "two-positions",
            "the kernel reads both absolute_pos and absolute_pos_x",
            "use only one of the two positions",
        )),
        (_, _, true) => Err(missed(
            kernel.op(),
            "cube-dim",
            "in a cube of several dimensions, units with adjacent absolute_pos are not adjacent along x",
            "use a cube of one dimension, or absolute_pos_x",
        )),
        _ => Ok((positions, linear)),
    }
}

// Checks that the elements of a unit can run an operation one after the other.
fn legal<'p>(op: Op<'p>) -> Result<(), MissedRemark<'p>> {
    if is_terminator(op) {
        return Ok(());
    }
    let own = op.regions().len() == 0;
    if own && op.is(ops::Alloc::KIND) {
        return Err(missed(op, "memory", "the kernel uses local or shared memory", "use values instead"));
    }
    if own && holds_convergent(op) {
        return Err(missed(
            op,
            "units-synchronise",
            "units synchronise or exchange values",
            "no change is needed if the kernel requires this operation",
        ));
    }
    let ordered = match own_effects(op) {
        Effects::Known(effects) => {
            let other = |kind, resource| matches!(kind, EffectKind::Write | EffectKind::Free) && resource != MEMORY;
            effects.iter().any(|effect| other(effect.kind, effect.resource))
        }
        Effects::Unknown => true,
    };
    if ordered {
        return Err(missed(
            op,
            "effect",
            "the operation has an effect whose order is observable",
            "print in another kernel",
        ));
    }
    Ok(())
}

impl<'p> Plan<'p> {
    /// Whether the value is the position of the unit.
    pub fn is_position(&self, value: Val<'p>) -> bool {
        value.def().is_some_and(|op| self.positions.contains(&op))
    }

    // Finds accesses that become wide, and branches and loops that all elements take together. Their bodies are scanned
    // too.
    fn scan(&mut self, ops: &[Op<'p>]) {
        for op in ops {
            if let Some(wide) = self.wide_access(*op) {
                self.wide.push(wide);
            } else if let Some((guard, taken)) = self.guard(*op) {
                self.conditions.push(guard);
                self.scan(&taken);
            } else if self.runs_together(*op) {
                self.loops.push(*op);
                self.scan(&op.body().map(|body| body.ops()).unwrap_or_default());
            }
        }
    }

    // Checks that each access in a loop is shared by the elements of a unit. Accesses of single elements would need as
    // many instructions as before, and fewer units might not hide their latency.
    fn loops_are_shared(&mut self, all: &[Op<'p>]) -> Result<(), MissedRemark<'p>> {
        for op in all.iter().filter(|op| op.is(scf::FOR) || op.is(scf::WHILE)) {
            if !self.loops.contains(op) {
                return Err(missed(
                    *op,
                    "loop",
                    "adjacent units can run different numbers of iterations of the loop",
                    "use an argument or a length as the bound of the loop",
                ));
            }
        }
        for loop_op in self.loops.clone() {
            let mut shared = 0;
            for op in loop_op.walk().into_iter().filter(|op| *op != loop_op) {
                let Some(access) = access_of(op) else { continue };
                let wide = self.wide.iter().any(|wide| wide.op == op);
                let index = self
                    .index(access.index)
                    .filter(|index| !index.contains_position && access.kind == AccessKind::Load);
                match index {
                    _ if wide => {}
                    Some(index) if access.buffer.block_arg().is_some() => {
                        if bounds_of(op) == Some(Bounds::Checked) && !self.common.iter().any(|common| common.op == op) {
                            self.common.push(Common { op, buffer: access.buffer, index });
                        }
                    }
                    _ => {
                        return Err(missed(
                            op,
                            "loop-access",
                            "the accesses of the loop for the elements of a unit are neither adjacent nor equal",
                            "index with a position along x plus a multiple of the loop's counter",
                        ));
                    }
                }
                shared += 1;
            }
            if shared == 0 {
                return Err(missed(
                    loop_op,
                    "loop-arithmetic",
                    "the loop accesses no memory that the elements of a unit could share",
                    "no change is needed if arithmetic takes most of the time",
                ));
            }
        }
        Ok(())
    }

    fn wide_access(&mut self, op: Op<'p>) -> Option<Wide<'p>> {
        let access = access_of(op).filter(|a| matches!(a.kind, AccessKind::Load | AccessKind::Store))?;
        let buffer = BufferType::of(access.buffer.ty()).filter(|buffer| buffer.is_global())?;
        access.buffer.block_arg()?;
        let is_scalar = buffer.line == 1 && is_same_in_memory(buffer.element);
        if alignment_of(op).is_some() || !is_scalar && !self.by_cubes {
            return None;
        }
        let form = Affine::of(access.index)?;
        let index = match self.positions.iter().any(|op| form.is_value(op.result(0))) {
            true => None,
            false => Some(self.index(access.index).filter(|index| index.contains_position)?),
        };
        if self.by_cubes && (index.is_some() || !form.nonzero().is_empty()) {
            return None;
        }
        if !form.nonzero().iter().all(|divisor| self.can_copy(*divisor, true)) {
            return None;
        }
        for divisor in form.nonzero() {
            if !self.nonzero.contains(divisor) {
                self.nonzero.push(*divisor);
            }
        }
        let checked = match bounds_of(op)? {
            Bounds::Checked => true,
            Bounds::Inbounds => false,
        };
        Some(Wide { op, buffer: access.buffer, checked, index })
    }

    // A branch without results and with one empty region. If the condition holds for the last element of a unit, the
    // condition holds for all elements.
    fn guard(&self, op: Op<'p>) -> Option<(Guard<'p>, Vec<Op<'p>>)> {
        if !op.is(scf::IF) || op.results().len() != 0 {
            return None;
        }
        let region = |n: usize| {
            let block = op.regions().nth(n).and_then(|region| region.first_block());
            block.map(|block| block.ops()).unwrap_or_default().into_iter().filter(|op| !is_terminator(*op)).collect()
        };
        let (yes, no): (Vec<Op<'p>>, Vec<Op<'p>>) = (region(0), region(1));
        let truth = no.is_empty();
        if !truth && !yes.is_empty() {
            return None;
        }
        let condition = op.operand(0);
        let holds = self.falls(condition, truth, &mut FUEL.clone());
        holds.then_some((Guard { branch: op, condition, truth }, if truth { yes } else { no }))
    }

    // Whether a condition that is `truth` for the last element of a unit is `truth` for all elements.
    fn falls(&self, condition: Val<'p>, truth: bool, fuel: &mut u32) -> bool {
        let Some(left) = fuel.checked_sub(1) else { return false };
        *fuel = left;
        if self.can_copy(condition, true) {
            return true;
        }
        let Some(op) = condition.def() else { return false };
        let both = |plan: &Self, fuel: &mut u32| op.operands().all(|c| plan.falls(c, truth, fuel));
        match op.kind() {
            arith::ANDI if truth => return both(self, fuel),
            arith::ORI if !truth => return both(self, fuel),
            arith::CMPI => {}
            _ => return false,
        }
        use IntCmp::{Uge, Ugt, Ule, Ult};
        let (less, more) = match (arith::Cmpi::of(op).and_then(|compare| compare.predicate()), truth) {
            (Some(Ult | Ule), true) | (Some(Uge | Ugt), false) => (op.operand(0), op.operand(1)),
            (Some(Ugt | Uge), true) | (Some(Ult | Ule), false) => (op.operand(1), op.operand(0)),
            _ => return false,
        };
        self.rises(less) && self.can_copy(more, true) && self.can_copy(less, false)
    }

    // Whether a value does not decrease from one element of a unit to the next. This holds for the position, and for
    // its quotients by values that are equal for all elements.
    fn rises(&self, value: Val<'p>) -> bool {
        let Some(op) = value.def() else { return false };
        self.is_position(value)
            || op.is(cube::DIVUI) && self.is_position(op.operand(0)) && self.can_copy(op.operand(1), true)
    }

    /// Whether a value can be computed before the kernel's own operations. If `fixed` is true, the value must not
    /// depend on the position.
    pub fn can_copy(&self, value: Val<'p>, fixed: bool) -> bool {
        self.walk(value, fixed, &mut FUEL.clone())
    }

    fn walk(&self, value: Val<'p>, fixed: bool, fuel: &mut u32) -> bool {
        let Some(left) = fuel.checked_sub(1) else { return false };
        *fuel = left;
        if self.is_position(value) {
            return !fixed;
        }
        match value.def() {
            // Only block arguments of the kernel itself are available at its start.
            None => value.block_arg().is_some_and(|(block, _)| Some(block) == self.positions[0].block()),
            Some(op) if op.is(ops::Topology::KIND) => op.block() == self.positions[0].block(),
            Some(op) => {
                let total = is_total(op) && op.regions().len() == 0;
                total && op.operands().all(|v| self.walk(v, fixed, fuel))
            }
        }
    }

    /// Emits a copy of the computation of a value at `b`, with `top` as the position. Requires
    /// [`Self::can_copy`].
    pub fn copied(&self, b: Builder<'p>, value: Val<'p>, top: Val<'p>) -> Val<'p> {
        self.copy(b, value, top, &mut HashMap::new())
    }

    fn copy(&self, b: Builder<'p>, value: Val<'p>, top: Val<'p>, known: &mut HashMap<Val<'p>, Val<'p>>) -> Val<'p> {
        if self.is_position(value) {
            return top;
        }
        if let Some(copy) = known.get(&value) {
            return *copy;
        }
        let Some(op) = value.def().filter(|op| !op.is(ops::Topology::KIND)) else { return value };
        if let Some(compared) = self.compared(b, op, top, known) {
            return compared;
        }
        let operands: Vec<Val<'p>> = op.operands().map(|v| self.copy(b, v, top, known)).collect();
        let copy = b.insert_copy(op);
        operands.into_iter().enumerate().for_each(|(n, v)| copy.set_operand(n, v));
        op.results().zip(copy.results()).for_each(|(old, new)| _ = known.insert(old, new));
        known.get(&value).copied().unwrap_or(value)
    }
}

impl<'p> Plan<'p> {
    // For w > 0, `x / w < n` equals `x < n * w` in 64 bits. For w = 0, x / 0 is x. A product costs one instruction, and
    // a quotient costs about 20.
    fn compared(
        &self,
        b: Builder<'p>,
        op: Op<'p>,
        top: Val<'p>,
        known: &mut HashMap<Val<'p>, Val<'p>>,
    ) -> Option<Val<'p>> {
        use IntCmp::{Uge, Ugt, Ule, Ult};
        let predicate = arith::Cmpi::of(op)?.predicate()?;
        let quotient = |n: usize| op.operand(n).def_of(cube::DIVUI).filter(|q| q.result(0).ty() == b.cx().int(32));
        let (q, n, predicate) = match (quotient(0), quotient(1), predicate) {
            (Some(q), _, Ult | Ule | Uge | Ugt) => (q, op.operand(1), predicate),
            (_, Some(q), Ult) => (q, op.operand(0), Ugt),
            (_, Some(q), Ule) => (q, op.operand(0), Uge),
            (_, Some(q), Ugt) => (q, op.operand(0), Ult),
            (_, Some(q), Uge) => (q, op.operand(0), Ule),
            _ => return None,
        };
        let mut wide = |v: Val<'p>| {
            let copy = self.copy(b, v, top, known);
            b.cast(arith::EXTUI, copy, b.cx().int(64))
        };
        let (x, w, n) = (wide(q.operand(0)), wide(q.operand(1)), wide(n));
        let one = b.int(x.ty(), 1);
        let w = b.op(arith::MAXUI).operands(&[w, one]).result(x.ty()).value();
        let n = if matches!(predicate, Ule | Ugt) { b.addi(n, one) } else { n };
        let below = if matches!(predicate, Ult | Ule) { Ult } else { Uge };
        Some(b.cmpi(below, x, b.muli(n, w)))
    }
}
