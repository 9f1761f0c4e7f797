//! Removes `cube.may_not_terminate` from loops that provably terminate.
//!
//! ```mlir
//! scf.while (%i = %a) {                         scf.while (%i = %a) {
//!   %c = arith.cmpi ult, %i, %n                   %c = arith.cmpi ult, %i, %n
//!   scf.condition(%c) %i                          scf.condition(%c) %i
//! } do { cube.may_not_terminate  A  yield %i + 1 }           } do { A  yield %i + 1 }
//! ```
//!
//! A loop terminates if its condition requires a comparison that an induction variable finally falsifies
//! (`analysis/loop_termination.rs`). All later passes keep the remaining marks. On the CPU each marked iteration polls
//! whether the launch is cancelled. The pass runs when variables are values and the operands of conditions are folded.
//! Cost: linear in the loops' conditions.
use crate::analysis::loop_termination::terminates;
use cube_dialect::ops;
use cube_ir::ops::scf;
use cube_ir::{PassResult, Run, pass};

pass! {
    name: "drop-terminating-marks",
    summary: "removes the marks of loops that provably terminate, so that dead loops can be removed",
    on: cube::KERNEL,
    level: Source => Source,
    statistics: ["terminating loops", "loops not proven to terminate"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for iteration in run.root().walk().into_iter().filter(|op| op.is(ops::MayNotTerminate::KIND)) {
        // A mark outside every loop is dropped. This happens, for example, if a loop of one iteration was folded away.
        match iteration.ancestors().find(|op| op.is(scf::WHILE)) {
            Some(looped) if !terminates(looped) => run.count("loops not proven to terminate", 1),
            _ => {
                run.erase(iteration);
                run.count("terminating loops", 1);
            }
        }
    }
    Ok(())
}
