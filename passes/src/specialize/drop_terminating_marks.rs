//! Removes `cube.may_not_terminate` from loops that provably terminate.
//!
//! ```mlir
//! scf.while (%i = %a) {                         scf.while (%i = %a) {
//!   %c = arith.cmpi ult, %i, %n                   %c = arith.cmpi ult, %i, %n
//!   scf.condition(%c) %i                          scf.condition(%c) %i
//! } do { cube.may_not_terminate  A  yield %i + 1 }           } do { A  yield %i + 1 }
//! ```
//!
//! A loop provably terminates if an induction variable eventually makes its condition false
//! (`analysis/loop_termination.rs`). All later passes keep the remaining operations `cube.may_not_terminate`.
//! On the CPU, each marked iteration checks whether the launch has been cancelled. The pass runs after
//! variables have become SSA values and the operands of conditions have been folded. Cost: linear in the size
//! of the loop conditions.
use crate::analysis::loop_termination::terminates;
use cube_dialect::ops;
use cube_ir::ops::scf;
use cube_ir::{PassResult, Run, pass};

pass! {
    name: "drop-terminating-marks",
    summary: "removes `cube.may_not_terminate` from loops that provably terminate, so that dead loops can be removed",
    on: cube::KERNEL,
    level: Source => Source,
    statistics: ["terminating loops", "loops not proven to terminate"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for iteration in run.root().walk().into_iter().filter(|op| op.is(ops::MayNotTerminate::KIND)) {
        // A mark outside every loop is dropped. An example is the mark of a loop of one iteration, after folding has
        // removed the loop.
        match iteration.ancestors().find(|op| op.is(scf::WHILE)) {
            Some(loop_op) if !terminates(loop_op) => run.count("loops not proven to terminate", 1),
            _ => {
                run.erase(iteration);
                run.count("terminating loops", 1);
            }
        }
    }
    Ok(())
}
