//! Takes `cube.may_not_terminate` out of loops that surely end.
//!
//! ```mlir
//! scf.while (%i = %a) {                         scf.while (%i = %a) {
//!   %c = arith.cmpi ult, %i, %n                   %c = arith.cmpi ult, %i, %n
//!   scf.condition(%c) %i                          scf.condition(%c) %i
//! } do { cube.may_not_terminate  A  yield %i + 1 }           } do { A  yield %i + 1 }
//! ```
//!
//! A loop surely ends where all of its turns need a comparison to hold that a counter breaks at last (`analysis/endings.rs`).
//! What is left over is kept through all passes, and on the CPU asks in each turn whether the launch is to stop.
//! Runs when variables are values and what a condition needs has been folded. Cost: linear in the loops' conditions.
use crate::analysis::endings::ends;
use cube_dialect::ops;
use cube_ir::ops::scf;
use cube_ir::{PassResult, Run, pass};

pass! {
    name: "drop-terminating-marks",
    summary: "leaves loops that surely end to passes that remove dead code",
    on: cube::KERNEL,
    level: Source => Source,
    statistics: ["loops that end", "loops that may not end"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for turn in run.root().walk().into_iter().filter(|op| op.is(ops::MayNotTerminate::KIND)) {
        // Without a loop around it, as where one of one turn was folded away, nothing is left to say.
        match turn.ancestors().find(|op| op.is(scf::WHILE)) {
            Some(looped) if !ends(looped) => run.count("loops that may not end", 1),
            _ => {
                run.erase(turn);
                run.count("loops that end", 1);
            }
        }
    }
    Ok(())
}
