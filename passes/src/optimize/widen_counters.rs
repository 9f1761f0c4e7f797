//! Makes unsigned loops count in 64 bits. MLIR's range analysis interprets the bounds of every loop as signed
//! numbers.
//!
//! ```mlir
//! scf.for unsigned %i = %a to %b step %s : i32 { A(%i) }
//! ->
//! scf.for unsigned %w = (extui %a) to (extui %b) step (extui %s) : i64 { %i = trunci %w  A(%i) } {cube.narrow = i32}
//! ```
//!
//! Without this pass, the range analysis would find no possible value for an i8 counter from 0 to 200. For an i8
//! counter from 0 to an unknown bound, the range analysis would find no value above 126. The widened bounds are
//! non-negative numbers of 64 bits, which the range analysis interprets correctly. The pass cannot extend a counter of
//! 64 bits. A loop with a 64-bit counter that does not count 0, 1, 2 and so on is rewritten to count its iterations, as
//! by `normalize-loops`. No launch runs 2^63 iterations, so a count of iterations is never negative as a signed number.
//! `narrow-counters` restores the narrow counters after the analysis. Cost: linear.
use crate::{analysis::constants::int_of, legalize::normalize_loops};
use cube_dialect::attributes::NARROW;
use cube_ir::ops::{arith, scf};
use cube_ir::{Builder, Op, PassResult, Run, Type, TypeExt, pass};

pass! {
    name: "widen-counters",
    summary: "widens the counters of unsigned loops to 64 bits, so that upstream's range analysis is correct",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    statistics: ["counters widened", "loops counted"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let unsigned = |op: &Op<'p>| op.is(scf::FOR) && op.attr("unsignedCmp").is_some() && op.attr(NARROW).is_none();
    for op in run.root().walk().into_iter().filter(unsigned) {
        let ty = op.operand(0).ty();
        if ty.is_int() && ty.bits().is_some_and(|bits| bits < 64) {
            widen(op, ty);
            run.count("counters widened", 1);
        } else if int_of(op.operand(0)) != Some(0) || int_of(op.operand(2)) != Some(1) {
            normalize_loops::count(op);
            run.count("loops counted", 1);
        }
    }
    Ok(())
}

fn widen<'p>(loop_op: Op<'p>, ty: Type<'p>) {
    let b = Builder::before(loop_op);
    let wide = b.cx().int(64);
    for i in 0..3 {
        loop_op.set_operand(i, b.cast(arith::EXTUI, loop_op.operand(i), wide));
    }
    loop_op.set_attr(NARROW, b.cx().type_attr(ty));
    let Some(first) = loop_op.body().and_then(|block| block.first()) else { return };
    let counter = first.block().expect("an operation of a block").arg(0);
    let uses = counter.uses();
    counter.set_type(wide);
    let value = Builder::before(first).trunc_nuw(counter, ty);
    for (user, operand) in uses {
        user.set_equal_operand(operand, value);
    }
}
