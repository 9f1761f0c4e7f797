//! CPU: in kernels whose units meet, units run together: what each has becomes a lane of a vector, and where they part, masks
//! say who runs.
//!
//! ```mlir
//! %v = memref.load %x[%unit]                       for each plane {
//! %r = cube.plane_reduce addf %v                     %v = vector.load %x[%plane * 32] : vector<32xf32>
//! scf.if %mine { memref.store %r, %y[%unit] }        %r = all of %v combined
//!                                                    vector.maskedstore %y[%plane * 32], %mine, %r }
//! ```
//!
//! Runs after `split-at-barriers`, on whose loops over units it works; a kernel without barriers becomes one loop over
//! planes. Where a kernel asks nothing of planes, parts of a row of the cube run together instead, so that rows and columns
//! are the same for their units. `vector/mod.rs` says how. Refused: a plane operation inside control flow that decides
//! differently for units of a plane. Cost: linear in the size of the kernel, twice for each branch inside a branch.
use super::{
    memory,
    split::{self, UNIT_LOOPS, loop_word},
    split_at_barriers::{shape_of, sync_scope},
    vector::{Group, Vectors},
};
use crate::analysis::uniformity::{Shape, Uniformity};
use cube_dialect::{Scope as SyncScope, TopologyKind, ops};
use cube_ir::{Failed, Op, PassResult, Run, pass};

pass! {
    name: "planes-to-vectors",
    summary: "runs the units of planes together on vectors (CPU)",
    on: "cube.kernel",
    level: Legal => Legal,
    dialects: ["arith", "cube", "math", "memref", "scf", "vector", "gpu"],
    statistics: ["plane operations", "loops over planes"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let inside = kernel.walk();
    let count = inside.iter().filter(|op| meets(**op)).count();
    let shape = shape_of(kernel);
    let is_split = split::is_split(kernel);
    if count == 0 && (!is_split || shape.units() == 1) {
        return Ok(());
    }
    memory::gather_at_start(kernel);
    let group = group_of(&inside, shape);
    let shape = Shape { plane: group.lanes, ..shape };
    let uniformity = Uniformity::with_shape(kernel, shape);
    let loops = if is_split { inside_units(run, kernel, group, &uniformity)? } else { 1 };
    if !is_split {
        whole(run, kernel, group, &uniformity)?;
    }
    run.passed(kernel, "together", format_args!("{} units run together on vectors", group.lanes));
    run.count("plane operations", count as u64);
    run.count("loops over planes", loops);
    Ok(())
}

/// Whether the units of a plane meet here.
pub(super) fn meets(op: Op<'_>) -> bool {
    op.name().starts_with("cube.plane_") || sync_scope(op) == Some(SyncScope::Plane)
}

/// The most lanes of a group that is no plane: the widest vectors of numbers of 32 bits.
const WIDEST: u32 = 16;

fn group_of(inside: &[Op<'_>], shape: Shape) -> Group {
    let asks = |op: &&Op<'_>| {
        let of_plane = [TopologyKind::PlanePos, TopologyKind::UnitPosPlane];
        meets(**op) || ops::Topology::of(**op).is_some_and(|t| of_plane.contains(&t.kind()))
    };
    let plane = shape.plane;
    let lanes = match inside.iter().find(asks) {
        Some(_) => plane,
        None => {
            let most = plane.min(WIDEST);
            let of_row = [16, 8, 4].into_iter().find(|n| *n <= most && shape.dim[0].is_multiple_of(*n));
            of_row.unwrap_or_else(|| most.min(shape.units().next_power_of_two()).max(4))
        }
    };
    Group { lanes, plane, shape: Shape { plane: lanes, ..shape } }
}

// All of the kernel but its memory.
fn whole<'p>(run: &mut Run<'p>, kernel: Op<'p>, group: Group, uniformity: &Uniformity<'p>) -> PassResult {
    let block = kernel.body().ok_or(Failed)?;
    let mut old = block.ops();
    let Some(end) = old.pop() else { return Ok(()) };
    Vectors::new(run, group, uniformity, kernel).write(&old, end)?;
    for op in old.into_iter().rev().filter(|op| !op.is("memref.alloca")) {
        run.erase(op);
    }
    Ok(())
}

// The loops over units.
fn inside_units<'p>(
    run: &mut Run<'p>,
    kernel: Op<'p>,
    group: Group,
    uniformity: &Uniformity<'p>,
) -> Result<u64, Failed> {
    let over_units = |op: Op<'p>| loop_word(op).is_some_and(|word| UNIT_LOOPS.contains(&word));
    let outermost = |op: &Op<'p>| over_units(*op) && !op.ancestors().any(over_units);
    let loops: Vec<Op<'p>> = kernel.walk().into_iter().filter(outermost).collect();
    for outer in &loops {
        let inner = outer.walk().into_iter().find(|op| loop_word(*op) == Some(UNIT_LOOPS[0])).unwrap_or(*outer);
        let block = inner.body().ok_or(Failed)?;
        let mut ops = block.ops();
        ops.pop();
        Vectors::new(run, group, uniformity, kernel).write(&ops, *outer)?;
        run.erase(*outer);
    }
    Ok(loops.len() as u64)
}
