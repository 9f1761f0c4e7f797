//! Refuses barriers that not all units of a cube reach.
//!
//! ```mlir
//! %c = arith.cmpi ult, %unit_pos, %n
//! scf.if %c { cube.sync cube }           // error: the units from %n on do not reach the barrier
//! ```
//!
//! A barrier in a branch or loop is accepted if the condition is uniform in the cube. The error message shows the chain
//! of values from the condition to the first value that differs between units. `check-barrier-uniformity` runs before
//! this pass and handles conditions that can be uniform in a launch. Plane operations and plane barriers are accepted,
//! because only the active lanes participate in them. The pass does not change the kernel. Cost: linear; the pass walks
//! the kernel a few times.
use super::check_barrier_uniformity::SUGGESTION;
use crate::analysis::uniformity::{Uniform, Uniformity};
use cube_dialect::properties::is_cube_barrier;
use cube_ir::{Failed, Op, PassResult, Run, pass};

pass! {
    name: "check-convergence",
    summary: "refuses barriers that not all units of a cube reach",
    on: cube::KERNEL,
    level: Flat => Flat,
    statistics: ["barriers checked"],
    run: run,
}

/// Maximum number of values that an error message shows.
const SHOWN: usize = 6;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    run.unchanged();
    let barriers = barriers(run.root());
    run.count("barriers checked", barriers.len() as u64);
    if barriers.is_empty() {
        return Ok(());
    }
    let uniformity = Uniformity::of(run.root());
    let refused = missed(&barriers, &uniformity);
    refused.iter().for_each(|barrier| refuse(*barrier, &uniformity));
    if refused.is_empty() { Ok(()) } else { Err(Failed) }
}

/// Selects the barriers for which the analysis cannot prove that all units of a cube reach them together.
pub(crate) fn missed<'p>(barriers: &[Op<'p>], uniformity: &Uniformity<'p>) -> Vec<Op<'p>> {
    barriers.iter().copied().filter(|barrier| uniformity.reached_by(*barrier) > Uniform::Cube).collect()
}

/// The barriers of a kernel at which all units of a cube wait for each other.
pub(crate) fn barriers(kernel: Op<'_>) -> Vec<Op<'_>> {
    kernel.walk().into_iter().filter(|op| is_cube_barrier(*op)).collect()
}

fn refuse<'p>(barrier: Op<'p>, uniformity: &Uniformity<'p>) {
    let chain = uniformity.chain(barrier);
    let mut notes = Vec::new();
    for (i, value) in chain.iter().enumerate() {
        // The first note describes the condition, the last one the source of the difference.
        let last = i + 1 == chain.len();
        if i < SHOWN - 1 || last {
            let what = match (i, last) {
                (0, false) => "this condition differs between units",
                (_, true) => "because this value differs between units",
                _ => "because this differs",
            };
            notes.push((value.location(), what.to_string()));
        }
    }
    barrier.error_with_notes(cube_ir::diagnostic!(CUBE0315.not_reached { advice: SUGGESTION }), &notes);
}
