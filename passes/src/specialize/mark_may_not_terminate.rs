//! Inserts an operation with a side effect into each loop whose trip count is unknown.
//!
//! ```mlir
//! scf.while (%v = %x) { ... } do { A }        scf.while (%v = %x) { ... } do { cube.may_not_terminate  A }
//! ```
//!
//! MLIR's passes assume that loops terminate. MLIR's passes remove a loop that has no side effects and whose results
//! are not used, and replace an unchanged loop-carried value by its initial value. A kernel with an infinite loop would
//! therefore continue after the loop. `cube.may_not_terminate` has a side effect, so passes keep the loop, and later
//! code runs only after its end. `drop-terminating-marks` removes the operation from loops that provably terminate.
//! This pass runs before any pass that can remove a loop. Cost: linear.
use cube_dialect::ops;
use cube_ir::ops::scf;
use cube_ir::{Block, Builder, Op, PassResult, Run, pass};

pass! {
    name: "mark-may-not-terminate",
    summary: "marks loops that can run forever, so that no pass removes them as dead code",
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
