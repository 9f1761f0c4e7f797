//! Marks the iterations of every loop without a count as side effects.
//!
//! ```mlir
//! scf.while (%v = %x) { ... } do { A }        scf.while (%v = %x) { ... } do { cube.may_not_terminate  A }
//! ```
//!
//! Upstream's passes assume that loops terminate. They remove a loop without side effects and used results, and fold an
//! unchanged carried value to its initial value. A kernel with an infinite loop would then return a value.
//! `cube.may_not_terminate` is an effect, so the loop is kept, and later code runs only after its end.
//! `drop-terminating-marks` removes the mark from loops that provably terminate. This pass runs first, before any pass
//! can remove a loop. Cost: linear.
use cube_dialect::ops;
use cube_ir::ops::scf;
use cube_ir::{Block, Builder, Op, PassResult, Run, pass};

pass! {
    name: "mark-may-not-terminate",
    summary: "marks loops that can run forever, so that they are not removed as dead code",
    on: any,
    level: Source => Source,
    dialects: ["cube"],
    statistics: ["loops marked"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        if let Some(first) =
            body(op).and_then(|block| block.first()).filter(|first| !first.is(ops::MayNotTerminate::KIND))
        {
            Builder::before(first).with_location(op.location()).op(ops::MayNotTerminate::KIND).build();
            run.count("loops marked", 1);
        }
    }
    Ok(())
}

// The block that a loop without a count executes in each iteration.
fn body(op: Op<'_>) -> Option<Block<'_>> {
    match op.kind() {
        ops::Loop::KIND => op.body(),
        scf::WHILE => op.regions().nth(1)?.first_block(),
        _ => None,
    }
}
