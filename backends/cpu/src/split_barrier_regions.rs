//! CPU: a kernel with barriers becomes loops over the units of a cube, one for each segment between two barriers.
//!
//! ```mlir
//! f; cube.sync cube; g                      for each unit { f }; for each unit { g }
//! scf.for ... { f; cube.sync cube; g }      scf.for ... { for each unit { f }; for each unit { g } }
//! ```
//!
//! After the pass, the kernel's body runs once per cube. The loops over units are `scf.forall` with a mapping. Inside a
//! loop over units, `cube.topology` gives the values of the unit whose code the iteration executes. `split.rs`
//! describes the split, and `split/values.rs` describes the values that live across a barrier. Invariant: between two
//! barriers each unit runs the same operations in the same order. The pass refuses a barrier under divergent control
//! flow. Cost: linear in the size of the kernel. Each stored value requires one line of memory per unit.
use super::{
    fix_plane_dim::lanes_of,
    split::{Segment, Split},
};
use cube_ir::{AttrExt, Failed, Level, Op, PassResult, Run, pass};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_passes::levels;
use cube_to_llvm::memory;

pass! {
    name: "split-barrier-regions",
    summary: "turns a kernel with barriers into loops over units between the barriers (CPU)",
    on: cube::KERNEL,
    level: Legal => Mixed,
    dialects: ["arith", "cube", "memref", "scf", "gpu"],
    statistics: ["barriers"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let barriers = kernel.walk().into_iter().filter(|op| is_cube_barrier(*op)).count();
    if barriers == 0 {
        return Ok(());
    }
    levels::require_lines(kernel, Level::Legal)?;
    memory::gather_at_start(kernel);
    let shape = shape_of(kernel);
    let uniformity = Uniformity::with_geometry(kernel, shape);
    let block = kernel.body().ok_or(Failed)?;
    Split::new(run, shape, is_cube_barrier, &uniformity, kernel).split(block, barrier)?;
    run.count("barriers", barriers as u64);
    Ok(())
}

pub(super) use cube_dialect::properties::{barrier_scope as sync_scope, is_cube_barrier};

/// The geometry of the kernel's units.
pub(super) fn shape_of(kernel: Op<'_>) -> CubeGeometry {
    let dim = kernel.attr("cube_dim").and_then(|a| a.as_i32_array()).unwrap_or_default();
    let at = |i: usize| dim.get(i).copied().unwrap_or(1).max(1) as u32;
    CubeGeometry { dim: [at(0), at(1), at(2)], plane: lanes_of(kernel) }
}

// A barrier is erased, because the loops before and after the barrier are separate.
fn barrier<'r, 'p>(split: &mut Split<'r, 'p>, op: Op<'p>, open: &mut Option<Segment<'p>>) -> PassResult {
    *open = None;
    split.run.erase(op);
    Ok(())
}
