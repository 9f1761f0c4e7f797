//! Rules of control flow with exits.
use super::Verdict;
use crate::ops;
use cube_ir::ops::arith;
use cube_ir::{Message, Op, OpKind};

const LOOPS: &[OpKind] = &[ops::For::KIND, ops::Loop::KIND, ops::ComptimeFor::KIND];
const BRANCHES: &[OpKind] = &[ops::If::KIND, ops::ComptimeIf::KIND];
const EXITS: &[OpKind] =
    &[ops::Yield::KIND, ops::Break::KIND, ops::Continue::KIND, ops::Return::KIND, ops::Terminate::KIND];

fn is_one(op: Op<'_>, of: &[OpKind]) -> bool {
    of.contains(&op.kind())
}

/// Whether a block of `op` can end in an exit.
pub(super) fn may_hold_exits(op: Op<'_>) -> bool {
    is_one(op, LOOPS) || is_one(op, BRANCHES)
}

pub(super) fn structure(op: Op<'_>) -> Verdict {
    for block in op.regions().flat_map(|r| r.blocks()) {
        if let Some(last) = block.terminator().filter(|last| !is_one(*last, EXITS)) {
            return Err(cube_ir::diagnostic!(CUBE0142.end { last: last.name() }));
        }
    }
    // If the step is constant, canonicalisation can unroll the loop. A loop with the step 0 is invalid.
    let step = op.operands().nth(2).and_then(|s| s.def_of(arith::CONSTANT)).and_then(|c| c.attr("value"));
    let number = step.and_then(cube_ir::AttrExt::as_int);
    if is_one(op, LOOPS) && number.is_some_and(|n| n == 0 || n < 0 && op.attr("unsignedCmp").is_none()) {
        return Err(cube_ir::diagnostic!(CUBE0143.step { step: number.unwrap_or(0) }));
    }
    if is_one(op, LOOPS) && op.operands().len() == 3 {
        let induction = op.body().map(|b| b.args().map(|a| a.ty()).collect::<Vec<_>>()).unwrap_or_default();
        if induction != [op.operand(0).ty()] {
            return Err(cube_ir::diagnostic!(CUBE0143.counter { ty: op.operand(0).ty() }));
        }
    }
    Ok(())
}

pub(super) fn exit(op: Op<'_>) -> Verdict {
    let Some(parent) = op.parent() else { return Ok(()) };
    if !may_hold_exits(parent) {
        return Err(cube_ir::diagnostic!(CUBE0144.stands_in { around: parent.name() }));
    }
    if op.is(ops::Break::KIND) || op.is(ops::Continue::KIND) {
        leaves_loop(op)?;
    }
    Ok(())
}

// Between a break and its loop, only branches that support exits are allowed.
fn leaves_loop(op: Op<'_>) -> Verdict {
    let Some(outer) = op.ancestors().find(|outer| !is_one(*outer, BRANCHES)) else { return Ok(()) };
    if is_one(outer, LOOPS) {
        return Ok(());
    }
    let in_loop = op.ancestors().any(|outer| is_one(outer, LOOPS));
    Err(match in_loop {
        true => cube_ir::diagnostic!(CUBE0145.through { around: outer.name() }),
        false => cube_ir::diagnostic!(CUBE0145.outside),
    })
}

/// The kernel or function that the return `op` ends, if all operations between the return and the kernel or
/// function allow exits.
pub(super) fn returns_to(op: Op<'_>) -> Result<Option<Op<'_>>, Message> {
    for outer in op.ancestors() {
        if outer.is(ops::Kernel::KIND) || outer.is(ops::Func::KIND) {
            return Ok(Some(outer));
        }
        if !may_hold_exits(outer) {
            return Err(cube_ir::diagnostic!(CUBE0130.stands_in { around: outer.name() }));
        }
    }
    Ok(None)
}
