//! Evaluates bounds checks at the launch. If the largest index of a launch is inside the buffer, a copy of the code without
//! checks runs.
//!
//! ```mlir
//! %s = scf.for %i = 0 to %n {             %s = scf.if (%in_bounds != 0) {      // lt(sub(n, 1), buffer_len(x))
//!   %v = cube.load %x[%i] checked           scf.for %i = 0 to %n { cube.load %x[%i] inbounds }
//! }                                       } else {
//!                                           scf.for %i = 0 to %n { cube.load %x[%i] checked {cube.launch_guard} }
//!                                         }
//! ```
//!
//! `analysis/launch_bounds.rs` computes the largest index, and the launcher computes the argument `%in_bounds`
//! (docs/why/optimizer.md). Invariant: both arms compute the same values, and the condition is equal in all units of the
//! launch. The pass copies accesses and the operations between them, or a loop around them, but no operations that
//! synchronise units. The description of the target states whether the pass changes kernels (`launch_guards`). Cost: linear,
//! and the copies of a kernel have a maximum number of operations.
use crate::analysis::launch::all_of;
use crate::analysis::launch_bounds::{Inside, LaunchBounds};
use crate::levels::decided_bounds;
use cube_dialect::attributes::{LAUNCH_GUARD, UNROLL, has_one_body};
use cube_dialect::{Bounds, Memory, Proof, access_of, bounds_of, memory_of, ops, set_bounds, set_proof, target_of};
use cube_ir::ops::{arith, scf};
use cube_ir::properties::{holds_convergent, is_terminator};
use cube_ir::upstream::IntCmp;
use cube_ir::{Block, Builder, Failed, Op, PassResult, Run, Type, Val, pass};
use std::collections::{HashMap, HashSet};

pass! {
    name: "version-checks",
    summary: "lets the launcher evaluate bounds checks, and runs a copy of the code without checks if all succeed",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf"],
    options: {
        operations: Int(256) = "largest number of operations of a kernel that the pass copies",
    },
    statistics: ["checks guarded", "checks proven", "checks kept", "operations copied"],
    run: run,
}

/// Maximum number of operations between two accesses that one condition guards.
const GAP: usize = 16;

/// Maximum length of the condition of a copy.
const LONGEST: usize = 1600;

/// Neighbouring operations of a block that are copied together.
struct Range<'p> {
    ops: Vec<Op<'p>>,
    /// The number of operations, with those of nested regions.
    size: usize,
}

/// The contents of an operation, with its regions.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// The number of operations.
    size: usize,
    /// Whether the launcher checks one of its accesses.
    guarded: bool,
    /// Whether one of its accesses keeps a check that the launcher cannot evaluate.
    kept: bool,
}

/// The decisions about the checked accesses of a kernel.
struct Plan<'p> {
    /// The conditions of the accesses that the launcher can check.
    inside: HashMap<Op<'p>, String>,
    extents: HashMap<Op<'p>, Extent>,
    /// Checked accesses that the launcher cannot check.
    kept: HashSet<Op<'p>>,
    ranges: Vec<Range<'p>>,
    /// Number of operations that the pass can still copy.
    left: usize,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    if !target_of(kernel.op()).launch_guards {
        run.unchanged();
        return Ok(());
    }
    let most = usize::try_from(run.int("operations")).unwrap_or(0);
    let mut plan =
        Plan { inside: HashMap::new(), extents: HashMap::new(), kept: HashSet::new(), ranges: vec![], left: most };
    let mut changed = false;
    for op in kernel.op().walk() {
        let checked = decided_bounds(run, op)? == Some(Bounds::Checked) && op.attr(LAUNCH_GUARD).is_none();
        let Some(access) = access_of(op).filter(|_| checked) else { continue };
        let mut bounds = LaunchBounds::at(kernel, op);
        match bounds.inside(&access) {
            Some(Inside::Always) if matches!(memory_of(access.buffer), Memory::Shared | Memory::Local(_)) => {
                set_proof(op, Proof::Range);
                run.count("checks proven", 1);
                run.passed(op, "range", "no value of the index reaches the length of the memory");
                changed = true;
            }
            Some(Inside::If(condition)) => _ = plan.inside.insert(op, condition),
            Some(Inside::Always) | None => {
                run.count("checks kept", 1);
                plan.kept.insert(op);
                let (rule, why, way) = why_unbounded(bounds.unbounded());
                run.missed(op, rule, format_args!("the launch does not evaluate the check, because {why}"), way);
            }
        }
    }
    // Operations precede the operation that contains them.
    for op in kernel.op().walk() {
        let inner = plan.extents.get(&op).copied().unwrap_or_default();
        let own = Extent {
            size: inner.size + 1,
            guarded: inner.guarded || plan.inside.contains_key(&op),
            kept: inner.kept || plan.kept.contains(&op),
        };
        plan.extents.insert(op, own);
        if let Some(parent) = op.parent() {
            let outer = plan.extents.entry(parent).or_default();
            outer.size += own.size;
            outer.guarded |= own.guarded;
            outer.kept |= own.kept;
        }
    }
    if let Some(block) = kernel.block() {
        plan.block(block, false);
    }
    let mut flags = HashMap::new();
    for range in std::mem::take(&mut plan.ranges) {
        changed |= version(run, kernel, &mut plan, &range, &mut flags)?;
    }
    for op in kernel.op().walk().into_iter().filter(|op| plan.inside.contains_key(op)) {
        run.count("checks kept", 1);
        let around = op.ancestors().find(|outer| is_loop(*outer));
        let extent = around.and_then(|around| plan.extents.get(&around)).copied().unwrap_or_default();
        let (rule, why, way) = match extent.kept {
            true => (
                "other-checks",
                "the check stays in place, because a copy of the loop would have other checks",
                "remove the other checks of the loop",
            ),
            false => (
                "size",
                "the check stays in place, because the copy of its code would be too large",
                "make the loop around the access smaller",
            ),
        };
        run.missed(op, rule, why, way);
    }
    if !changed {
        run.unchanged();
    }
    Ok(())
}

fn is_loop(op: Op<'_>) -> bool {
    op.is(scf::FOR) || op.is(scf::WHILE)
}

// Rule, reason and remedy for an index without a bound, by the first number that has no bound.
fn why_unbounded<'p>(value: Option<Val<'p>>) -> (&'static str, &'static str, &'static str) {
    let way = "compare the index with the length around the access";
    match value.map(|value| (value, value.def())) {
        Some((_, Some(op))) if access_of(op).is_some() => {
            ("memory", "the index depends on a number that the kernel loads", way)
        }
        Some((_, Some(op))) if op.is(arith::SUBI) => (
            "difference",
            "the index depends on a difference, which is large if it wraps",
            "compare the two numbers of the difference around the access",
        ),
        Some((_, None)) => ("carried", "the index depends on a number that a loop changes", way),
        _ => ("operation", "the launcher cannot compute the largest index from the arguments of the launch", way),
    }
}

impl<'p> Plan<'p> {
    // Finds the ranges of a block and of the blocks in it. In a loop with checks that stay (`partly`), a copy of one access would
    // replace its comparison by another one.
    fn block(&mut self, block: Block<'p>, partly: bool) {
        let mut current: Option<Range<'p>> = None;
        let mut gap = vec![];
        for op in block.ops().into_iter().filter(|op| !is_terminator(*op)) {
            let extent = self.extents.get(&op).copied().unwrap_or(Extent { size: 1, ..Extent::default() });
            let (all, guarded) = (extent.size, extent.guarded);
            // The loop over the elements of a coarsened kernel has at most a few iterations, and contains the whole kernel. A copy
            // of a loop that keeps checks would save little time for the additional code.
            let is_copied_loop = is_loop(op) && !has_one_body(op) && !extent.kept && !holds_convergent(op);
            let copied = (all == 1 || is_copied_loop) && all <= self.left;
            if !guarded {
                // Values of the gap become results of the copies, or are used only in them.
                gap.push(op);
                if gap.len() > GAP || all > 1 || holds_convergent(op) || op.is(ops::Alloc::KIND) {
                    self.end(&mut current, &mut gap, partly);
                }
            } else if copied {
                let size = all + gap.len();
                match current.as_mut().filter(|range| range.size + size <= self.left) {
                    Some(range) => {
                        range.ops.append(&mut gap);
                        range.ops.push(op);
                        range.size += size;
                    }
                    None => {
                        self.end(&mut current, &mut gap, partly);
                        current = Some(Range { ops: vec![op], size: all });
                    }
                }
            } else {
                self.end(&mut current, &mut gap, partly);
                let partly = partly || is_loop(op) && !has_one_body(op) && extent.kept;
                op.regions().filter_map(|region| region.first_block()).for_each(|block| self.block(block, partly));
            }
        }
        self.end(&mut current, &mut gap, partly);
    }

    fn end(&mut self, current: &mut Option<Range<'p>>, gap: &mut Vec<Op<'p>>, partly: bool) {
        gap.clear();
        let checks = |range: &Range<'p>| range.ops.iter().filter(|op| self.inside.contains_key(op)).count();
        if let Some(range) = current.take()
            && range.size <= self.left
            && (!partly || checks(&range) > 1 || range.ops.iter().any(|op| is_loop(*op)))
        {
            self.left -= range.size;
            self.ranges.push(range);
        }
    }
}

// Replaces a range by a branch on the argument that the launcher computes. The result states whether it did.
fn version<'p>(
    run: &mut Run<'p>,
    kernel: ops::Kernel<'p>,
    plan: &mut Plan<'p>,
    range: &Range<'p>,
    flags: &mut HashMap<String, Val<'p>>,
) -> Result<bool, Failed> {
    let guarded: Vec<Op<'p>> =
        range.ops.iter().flat_map(|op| op.walk()).filter(|op| plan.inside.contains_key(op)).collect();
    let mut conditions: Vec<String> = guarded.iter().map(|op| plan.inside[op].clone()).collect();
    conditions.sort_unstable();
    conditions.dedup();
    let text = all_of(&conditions);
    if text.len() > LONGEST {
        return Ok(false);
    }
    guarded.iter().for_each(|op| _ = plan.inside.remove(op));
    run.count("checks guarded", guarded.len() as u64);
    run.count("operations copied", range.size as u64);
    for op in &guarded {
        run.passed(*op, "launch", "the launcher compares the largest index with the length of the buffer");
    }
    let cx = kernel.op().cx();
    let flag = match flags.get(&text) {
        Some(flag) => *flag,
        None => {
            let flag = kernel.add_derived("in_bounds", &text, cx.int(32)).ok_or(Failed)?;
            flags.insert(text, flag);
            flag
        }
    };
    let inner: Vec<Op<'p>> = range.ops.iter().flat_map(|op| op.walk()).collect();
    let is_used_after = |value: &Val<'p>| value.uses().iter().any(|(user, _)| !inner.contains(user));
    let used: Vec<Val<'p>> = range.ops.iter().flat_map(|op| op.results()).filter(is_used_after).collect();
    let types: Vec<Type<'p>> = used.iter().map(|value| value.ty()).collect();
    let b = run.before(range.ops[0]);
    let condition = b.cmpi(IntCmp::Ne, flag, b.int(cx.int(32), 0));
    let arm = |b: Builder<'p>, is_inside: bool| {
        let values = copies(b, &range.ops, |old, new| {
            if guarded.contains(&old) {
                set_bounds(new, if is_inside { Bounds::Inbounds } else { Bounds::Checked });
                new.set_attr(LAUNCH_GUARD, new.cx().unit_attr());
            }
            // The loops with checks run only in launches that access memory out of bounds. LLVM would unroll both copies.
            if !is_inside && new.is(scf::FOR) {
                new.set_attr(UNROLL, cx.int_attr(cx.int(32), 1));
            }
        });
        used.iter().map(|value| values[value]).collect::<Vec<_>>()
    };
    let branch = b.if_else(condition, &types, |b| arm(b, true), |b| arm(b, false));
    for (old, new) in used.iter().zip(branch.results()) {
        old.replace_all_uses(new);
    }
    range.ops.iter().rev().for_each(|op| run.erase(*op));
    Ok(true)
}

// Inserts copies of neighbouring operations, and calls `visit` with each operation and its copy. The same conditions
// enclose the copies, so the accesses keep their attributes. The result contains the copy of each value.
fn copies<'p>(b: Builder<'p>, ops: &[Op<'p>], visit: impl Fn(Op<'p>, Op<'p>)) -> HashMap<Val<'p>, Val<'p>> {
    let mut values = HashMap::new();
    for op in ops {
        let copy = b.insert_copy(*op);
        for (old, new) in op.walk().into_iter().zip(copy.walk()) {
            for (number, operand) in new.operands().enumerate().collect::<Vec<_>>() {
                if let Some(copy) = values.get(&operand) {
                    new.set_operand(number, *copy);
                }
            }
            if bounds_of(old).is_some() {
                old.attrs().into_iter().for_each(|(name, value)| new.set_attr(name, value));
            }
            visit(old, new);
        }
        values.extend(op.results().zip(copy.results()));
    }
    values
}
