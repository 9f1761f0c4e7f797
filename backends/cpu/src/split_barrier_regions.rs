//! CPU: a kernel with barriers becomes loops over the units of a cube, one for each stretch between two barriers.
//!
//! ```mlir
//! f; cube.sync cube; g                      for each unit { f }; for each unit { g }
//! scf.for ... { f; cube.sync cube; g }      scf.for ... { for each unit { f }; for each unit { g } }
//! ```
//!
//! The kernel's body then runs once a cube; the loops over units are `scf.for` with the attribute `cube.unit_loop`, and topology
//! values inside are those of the unit whose turn it is. `split/mod.rs` says how blocks are cut, `split/values.rs` what
//! happens to values that live across a barrier. Invariant: between two barriers each unit does what it did, in its own
//! order. Refused: a barrier inside control flow that decides differently for units of a cube. Cost: linear in the size of
//! the kernel, and a line of memory a unit for each value that lives across a barrier and is not made again.
use super::{
    fix_plane_dim::lanes_of,
    split::{Segment, Split},
};
use cube_ir::{AttrExt, Failed, Level, Op, PassResult, Run, pass};
use cube_passes::analysis::uniformity::{Shape, Uniformity};
use cube_passes::levels;
use cube_to_llvm::memory;

pass! {
    name: "split-barrier-regions",
    summary: "turns a kernel with barriers into loops over units between them (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith", "cube", "memref", "scf", "gpu"],
    statistics: ["barriers"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let barriers = kernel.walk().into_iter().filter(|op| meets(*op)).count();
    if barriers == 0 {
        return Ok(());
    }
    levels::require_lines(kernel, Level::Legal)?;
    memory::gather_at_start(kernel);
    let shape = shape_of(kernel);
    let uniformity = Uniformity::with_shape(kernel, shape);
    let block = kernel.body().ok_or(Failed)?;
    Split::new(run, shape, meets, &uniformity, kernel).split(block, barrier)?;
    run.count("barriers", barriers as u64);
    Ok(())
}

pub(super) use cube_dialect::properties::{barrier_scope as sync_scope, is_cube_barrier as meets};

/// How the units of a kernel lie.
pub(super) fn shape_of(kernel: Op<'_>) -> Shape {
    let dim = kernel.attr("cube_dim").and_then(|a| a.as_i32_array()).unwrap_or_default();
    let at = |i: usize| dim.get(i).copied().unwrap_or(1).max(1) as u32;
    Shape { dim: [at(0), at(1), at(2)], plane: lanes_of(kernel) }
}

// Nothing is left of a barrier but that the next stretch has a loop of its own.
fn barrier<'r, 'p>(split: &mut Split<'r, 'p>, op: Op<'p>, open: &mut Option<Segment<'p>>) -> PassResult {
    *open = None;
    split.run.erase(op);
    Ok(())
}
