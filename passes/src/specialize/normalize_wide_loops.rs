//! Rewrites a loop to count its iterations if MLIR would compute a wrong distance between the bounds.
//!
//! ```mlir
//! scf.for %i = %a to %b step %s { A(%i) }    %n = %a < %b ? (%b - %a - 1) / %s + 1 : 0
//!                                            scf.for unsigned %t = 0 to %n step 1 { A(%a + %t * %s) }
//! ```
//!
//! MLIR's folding, dead code analysis and inlining compute the trip count of a loop from the signed difference of the
//! bounds. MLIR treats a loop as never running if the distance between the bounds exceeds the largest signed number.
//! MLIR treats every step as signed, so an unsigned step of half the range or more counts as negative. The pass runs
//! before the first MLIR pass, and later passes can make bounds constant. The pass therefore keeps a loop only if MLIR
//! computes the correct trip count for all values of the bounds. The trip count is correct for all unsigned loops with
//! a constant step below half the range, and for some signed loops with a positive constant step. An unchanged signed
//! loop starts at a non-negative constant, ends at a negative constant, or has constant bounds at a small distance.
//! Cost: linear.
use super::structure_exits::trip_count;
use crate::analysis::constants::int_of;
use cube_ir::ops::scf;
use cube_ir::{Builder, Op, PassResult, Run, TypeExt, pass};

pass! {
    name: "normalize-wide-loops",
    summary: "makes a loop count its iterations if the distance between its bounds can be too large for upstream passes",
    on: any,
    level: Source | Flat => Any,
    dialects: ["arith", "cube"],
    statistics: ["loops counted"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        if op.is(scf::FOR) && !is_read_rightly(op) {
            count(op);
            run.count("loops counted", 1);
        }
    }
    Ok(())
}

// Whether MLIR computes the trip count correctly for all possible constant bounds.
fn is_read_rightly(loop_op: Op<'_>) -> bool {
    let [from, to, step] = [0, 1, 2].map(|i| int_of(loop_op.operand(i)));
    // Constants are sign-extended, so an unsigned step of half the range or more appears as negative.
    if step.is_none_or(|step| step <= 0) {
        return false;
    }
    if loop_op.attr("unsignedCmp").is_some() {
        return true;
    }
    let largest = i64::MAX >> (64 - loop_op.operand(0).ty().bits().unwrap_or(64).clamp(1, 64));
    let is_near = |(from, to): (i64, i64)| i128::from(to) - i128::from(from) <= i128::from(largest);
    from.is_some_and(|from| from >= 0) || to.is_some_and(|to| to < 0) || from.zip(to).is_some_and(is_near)
}

fn count(loop_op: Op<'_>) {
    let b = Builder::before(loop_op);
    let iterations = trip_count(loop_op, b);
    for (i, value) in iterations.bounds.into_iter().enumerate() {
        loop_op.set_operand(i, value);
    }
    loop_op.set_attr("unsignedCmp", b.cx().unit_attr());
    let Some(first) = loop_op.body().and_then(|block| block.first()) else { return };
    let counter = first.block().expect("an operation of a block").arg(0);
    let uses = counter.uses();
    let b = Builder::before(first);
    let value = b.addi(iterations.from, b.muli(counter, iterations.step));
    for (user, operand) in uses {
        user.set_operand(operand, value);
    }
}
