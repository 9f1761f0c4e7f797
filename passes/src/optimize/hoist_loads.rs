//! Moves a load and its index arithmetic out of a loop if the load reads the same value in each iteration.
//!
//! ```mlir
//! scf.for %c = ... {                           %v = cube.load %x[%p] checked
//!   %v = cube.load %x[%p] checked              scf.for %c = ... {
//!   %w = cube.load %y[%c] checked                %w = cube.load %y[%c] checked
//! ```
//!
//! A checked load has a value for every index, so it can run before a loop without iterations. An `inbounds` load
//! cannot run before a loop that can have no iterations. LLVM moves an `inbounds` load only if LLVM can prove that
//! the loop runs. Later passes replace the bounds check by a branch, and LLVM does not move the load together with
//! that branch. On the CPU, vectorised units run under masks, and the branch around a masked load costs more than
//! the rest of the loop. Invariant: no operation in the loop can write the memory that a moved load reads
//! (`analysis/effects.rs`). If the loop contains a synchronisation, no operation in the whole kernel can write the
//! memory that a moved load reads. The pass does not move a load that is inside a branch of the loop. Cost: the size
//! of the kernel times the depth of nesting.
use crate::analysis::effects::{Writes, is_total};
use crate::analysis::loops::is_outside;
use cube_dialect::{Access, AccessKind, Bounds, access_of, bounds_of};
use cube_ir::ops::scf;
use cube_ir::{Op, PassResult, Run, pass};
use std::collections::HashSet;

pass! {
    name: "hoist-loads",
    summary: "moves loop-invariant checked loads before the loop",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube"],
    statistics: ["loads hoisted", "loads kept"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let everywhere = Writes::of(run.root());
    // Inner loops come first, so that a load can leave several nested loops.
    let mut hoisted = Vec::new();
    for loop_op in run.root().walk().into_iter().filter(|op| is_loop(*op)) {
        hoist(run, loop_op, &everywhere, &mut hoisted);
    }
    let mut known = HashSet::new();
    for load in hoisted.into_iter().filter(|load| known.insert(*load)) {
        run.passed(load, "hoist", "the load reads the same value in each iteration, and runs before the loop");
        run.count("loads hoisted", 1);
    }
    for load in run.root().walk().into_iter().filter_map(load_of) {
        under_branch(run, load);
    }
    Ok(())
}

fn is_loop(op: Op<'_>) -> bool {
    op.is(scf::FOR) || op.is(scf::WHILE)
}

// Reports a load whose index does not change in the loop, but that only some iterations reach.
fn under_branch<'p>(run: &mut Run<'p>, load: Access<'p>) {
    let Some(loop_op) = load.op.ancestors().find(|op| is_loop(*op)) else { return };
    if load.op.parent() != Some(loop_op) && load.op.operands().all(|v| is_outside(v, loop_op)) {
        let why =
            "the load stays in the loop, because only some iterations reach it, although its index does not change";
        run.missed(load.op, "branch", why, "load it before the loop");
        run.count("loads kept", 1);
    }
}

fn hoist<'p>(run: &mut Run<'p>, loop_op: Op<'p>, everywhere: &Writes<'p>, hoisted: &mut Vec<Op<'p>>) {
    let blocks: Vec<_> = loop_op.regions().flat_map(|r| r.blocks()).collect();
    let invariant = |op: &Op<'p>| op.operands().all(|v| is_outside(v, loop_op));
    let mut here = None;
    for op in blocks.into_iter().flat_map(|block| block.ops()) {
        if is_total(op) && op.regions().len() == 0 && invariant(&op) {
            op.move_before(loop_op);
            continue;
        }
        let Some(load) = load_of(op).filter(|load| invariant(&load.op)) else { continue };
        let writes: &Writes<'p> = here.get_or_insert_with(|| Writes::of(loop_op));
        let Some(kept) = why_not(load, writes, everywhere) else {
            hoisted.push(op);
            op.move_before(loop_op);
            continue;
        };
        run.missed(op, kept.rule, format_args!("the load stays in the loop, because {}", kept.why), kept.suggestion);
        run.count("loads kept", 1);
    }
}

fn load_of(op: Op<'_>) -> Option<Access<'_>> {
    access_of(op).filter(|access| access.kind == AccessKind::Load && bounds_of(op) == Some(Bounds::Checked))
}

/// The reason why a load with a constant index is not moved out of its loop.
struct MissedReason {
    rule: &'static str,
    why: &'static str,
    suggestion: &'static str,
}

fn why_not<'p>(load: Access<'p>, inside: &Writes<'p>, everywhere: &Writes<'p>) -> Option<MissedReason> {
    let by = |writer: Op<'p>, units_meet: bool| {
        let same = access_of(writer).is_some_and(|write| write.buffer == load.buffer);
        MissedReason {
            rule: if same { "written" } else { "may-be-written" },
            why: match (same, units_meet) {
                (true, false) => "the loop writes the same buffer",
                (false, false) => "the loop writes another argument, which may alias it",
                (true, true) => "units synchronise in the loop, and the kernel writes the same buffer",
                (false, true) => {
                    "units synchronise in the loop, and the kernel writes another argument, which may alias it"
                }
            },
            suggestion: match (same, units_meet) {
                (true, false) => "keep the value in a variable during the loop, and store it after the loop",
                _ => "load the element into a variable before the loop if each iteration needs the same value",
            },
        }
    };
    if let Some(writer) = inside.to(load.buffer) {
        return Some(by(writer, false));
    }
    inside.convergent_op().and_then(|_| everywhere.to(load.buffer)).map(|writer| by(writer, true))
}
