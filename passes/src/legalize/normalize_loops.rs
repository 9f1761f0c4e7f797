//! Rewrites a loop to count its iterations if the addition of the step could wrap.
//!
//! ```mlir
//! scf.for %i = %a to %b step %s          %n = %a < %b ? (%b - %a - 1) / %s + 1 : 0
//!                                        scf.for unsigned %t = 0 to %n step 1 { %i = %a + %t * %s }
//! ```
//!
//! A later lowering replaces loops by branches. The sum of counter and step can then wrap to a number below the bound,
//! and the loop would not terminate. An iteration count cannot wrap. Loops with step 1 stop at their bound, so the pass
//! does not change them. The step 0 counts as 1, because each loop makes progress by definition. Cost: linear.
use crate::analysis::loops::TripCount;
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Builder, Op, PassResult, Run, Val, pass};

pass! {
    name: "normalize-loops",
    summary: "makes loops with a step other than 1 count their iterations, so that the loops terminate",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    statistics: ["loops counted"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        if op.is(scf::FOR) && !steps_by_one(op) {
            run.passed(
                op,
                "count",
                "the loop counts its iterations, because its counter plus its step can exceed the largest value of the type",
            );
            count(op);
            run.count("loops counted", 1);
        }
    }
    Ok(())
}

fn steps_by_one(loop_op: Op<'_>) -> bool {
    let step = loop_op.operand(2).def_of(arith::CONSTANT).and_then(|c| c.attr("value"));
    step.and_then(|v| v.as_int()) == Some(1)
}

/// Rewrites a loop with any step to count its iterations.
pub(crate) fn count<'p>(loop_op: Op<'p>) {
    let b = Builder::before(loop_op);
    let TripCount { from, step, bounds, .. } = TripCount::of(loop_op, b, |b, distance, step| b.divui(distance, step));
    for (i, value) in bounds.into_iter().enumerate() {
        loop_op.set_operand(i, value);
    }
    loop_op.set_attr("unsignedCmp", b.cx().unit_attr());
    let Some(first) = loop_op.body().and_then(|block| block.first()) else { return };
    let iteration: Val<'p> = first.block().expect("an operation of a block").arg(0);
    let inside = Builder::before(first);
    let product = inside.muli(iteration, step);
    let value = inside.addi(from, product);
    iteration.replace_all_uses(value);
    if let Some(op) = product.def() {
        op.set_operand(0, iteration);
    }
}
