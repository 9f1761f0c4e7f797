//! Says of every loop that is not counted that its turns happen.
//!
//! ```mlir
//! scf.while (%v = %x) { ... } do { A }        scf.while (%v = %x) { ... } do { cube.may_not_terminate  A }
//! ```
//!
//! A loop that only computes, and whose results nobody uses, is dead code for upstream's passes, and one that carries what never
//! changes gives what it began with: both take for granted that it ends. A kernel with a loop that does not would then return
//! a value instead of running on. `cube.may_not_terminate` is an effect, so that the loop stays, and what follows it follows only its end.
//! `drop-terminating-marks` takes it out again where a loop surely ends. Runs first, before anything could remove a loop. Cost: linear.
use cube_dialect::ops;
use cube_ir::ops::scf;
use cube_ir::{Block, Builder, Op, PassResult, Run, pass};

pass! {
    name: "mark-may-not-terminate",
    summary: "keeps loops that may have no end from being taken for dead code",
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

// What a loop that is not counted runs in each turn that it makes.
fn body(op: Op<'_>) -> Option<Block<'_>> {
    match op.kind() {
        ops::Loop::KIND => op.body(),
        scf::WHILE => op.regions().nth(1)?.first_block(),
        _ => None,
    }
}
