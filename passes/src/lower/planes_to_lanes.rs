//! CPU: a kernel with plane operations becomes a loop over planes, with a loop over lanes for each stretch between two of
//! them.
//!
//! ```mlir
//! f; %r = cube.plane_reduce addf %v; g      for each plane {
//!                                             for each lane { f; store %v, %V[lane] }
//!                                             %r = all of %V combined
//!                                             for each lane { g } }
//! ```
//!
//! Runs after `split-at-barriers`, inside whose loops over units it works; a kernel without barriers becomes one loop over
//! planes. `plane_ops.rs` says what becomes of each operation. The lanes of a plane run from the first to the last, and LLVM
//! makes vectors of loops over so few. Refused: a plane operation inside control flow that decides differently for units of a
//! plane. Cost: linear in the size of the kernel.
use super::{
    memory, plane_ops,
    split::{self, PLANE_LOOP, Scope, Split, UNIT_LOOPS, loop_word, member_loop},
    split_at_barriers::{shape_of, sync_scope},
};
use crate::analysis::uniformity::{Shape, Uniform, Uniformity};
use cube_dialect::Scope as SyncScope;
use cube_ir::{Block, Builder, Op, PassResult, Run, pass};

pass! {
    name: "planes-to-lanes",
    summary: "turns plane operations into loops over the lanes of planes (CPU)",
    on: "cube.kernel",
    level: Legal => Legal,
    dialects: ["arith", "cube", "memref", "scf", "vector", "gpu"],
    statistics: ["plane operations"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let count = kernel.walk().into_iter().filter(|op| meets(*op)).count();
    if count == 0 {
        return Ok(());
    }
    memory::gather_at_start(kernel);
    let shape = shape_of(kernel);
    let uniformity = Uniformity::with_shape(kernel, shape);
    let blocks = if split::is_split(kernel) { inside_units(run, kernel, shape) } else { whole(kernel, shape) };
    for block in blocks {
        let scope = Scope { level: Uniform::Plane, shape, meets, what: "a plane operation" };
        Split::new(run, scope, &uniformity, kernel).split(block, plane_ops::lower)?;
    }
    run.count("plane operations", count as u64);
    Ok(())
}

/// Whether the units of a plane meet here.
pub(super) fn meets(op: Op<'_>) -> bool {
    op.name().starts_with("cube.plane_") || sync_scope(op) == Some(SyncScope::Plane)
}

fn plane_loop<'p>(before: Op<'p>, shape: Shape) -> Op<'p> {
    let b = Builder::before(before);
    let planes = b.int(b.cx().int(64), i64::from(shape.units().div_ceil(shape.plane)));
    member_loop(b, planes, PLANE_LOOP).1
}

// All of the kernel but its memory.
fn whole(kernel: Op<'_>, shape: Shape) -> Vec<Block<'_>> {
    let Some((last, ops)) = kernel.body().map(|b| b.ops()).and_then(|mut ops| Some((ops.pop()?, ops))) else {
        return Vec::new();
    };
    let end = plane_loop(last, shape);
    for op in ops.into_iter().filter(|op| !op.is("memref.alloca")) {
        op.move_before(end);
    }
    end.block().into_iter().collect()
}

// The loops over units in which planes meet, as loops over planes.
fn inside_units<'p>(run: &mut Run<'p>, kernel: Op<'p>, shape: Shape) -> Vec<Block<'p>> {
    let over_units = |op: Op<'p>| loop_word(op).is_some_and(|word| UNIT_LOOPS.contains(&word));
    let outermost = |op: &Op<'p>| over_units(*op) && !op.ancestors().any(over_units);
    let mut blocks = Vec::new();
    for outer in kernel.walk().into_iter().filter(outermost) {
        if !outer.walk().into_iter().any(meets) {
            continue;
        }
        let end = plane_loop(outer, shape);
        let inner = outer.walk().into_iter().find(|op| loop_word(*op) == Some(UNIT_LOOPS[0])).unwrap_or(outer);
        if let Some(body) = inner.body() {
            body.splice_before(end);
        }
        run.erase(outer);
        blocks.extend(end.block());
    }
    blocks
}
