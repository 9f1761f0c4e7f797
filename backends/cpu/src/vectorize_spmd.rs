//! CPU: SPMD vectorisation for kernels with barriers or plane operations. Each unit becomes a vector lane, and
//! divergent control flow becomes masks.
//!
//! ```mlir
//! %v = memref.load %x[%unit]                       for each plane {
//! %r = cube.plane_reduce addf %v                     %v = vector.load %x[%plane * 32] : vector<32xf32>
//! scf.if %mine { memref.store %r, %y[%unit] }        %r = all of %v combined
//!                                                    vector.maskedstore %y[%plane * 32], %mine, %r }
//! ```
//!
//! The pass runs after `split-barrier-regions`, on the loops over units that `split-barrier-regions` creates. A kernel
//! without barriers becomes one loop over planes. `spmd/narrow.rs` first splits the accesses of a unit to several
//! neighbouring elements. The pass leaves most kernels without barriers and plane operations to LLVM's vectoriser.
//! LLVM does not vectorise kernels with inner loops and adjacent accesses of neighbouring units, so this pass also
//! vectorises these kernels. If a kernel does not use planes, a group is a range of units along x, so that positions
//! along y and z are uniform. `spmd.rs` describes the method. A plane operation or a plane barrier under divergent
//! control flow applies to the active lanes. Cost: linear in the size of the kernel, and twice as high for each
//! level of nested branches.
use super::{
    split,
    split_barrier_regions::{shape_of, sync_scope},
    spmd::{Group, SpmdEmitter, narrow},
};
use cube_dialect::attributes::DEBUG;
use cube_dialect::attributes::SIMD_WIDTH;
use cube_dialect::{Scope as SyncScope, TopologyKind, UnitLoop, ops};
use cube_dialect::{is_atomic, properties::is_plane_op};
use cube_ir::ops::{memref, scf};
use cube_ir::{Failed, Level, Op, PassResult, Run, pass};
use cube_passes::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_passes::levels;
use cube_to_llvm::memory::{self, AllocationScope};

pass! {
    name: "vectorize-spmd",
    summary: "vectorises the units of a plane (CPU)",
    on: cube::KERNEL,
    level: Legal | Mixed => Mixed,
    dialects: ["arith", "cube", "math", "memref", "scf", "vector", "gpu"],
    statistics: ["plane operations", "loops over planes"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let inside = kernel.walk();
    let count = inside.iter().filter(|op| is_plane_convergent(**op)).count();
    let shape = shape_of(kernel);
    let is_split = split::is_split(kernel)?;
    // A debugger shows the variables of one unit. With debug information, units are therefore not vectorised unless
    // they exchange values.
    let has_debug_info = kernel.attr(DEBUG).is_some();
    if count == 0 && (shape.units() == 1 || has_debug_info) {
        return Ok(());
    }
    let independent = count == 0 && !is_split;
    if independent && (!can_gain(&inside) || inside.iter().any(|op| narrow::is_wide(*op))) {
        return Ok(());
    }
    let group = group_of(&inside, shape);
    if independent && (group.lanes < WIDEST / 2 || !shape.units().is_multiple_of(group.lanes)) {
        return Ok(());
    }
    levels::require_lines(kernel, Level::Legal)?;
    narrow::narrow(run, kernel);
    memory::gather_at_start(kernel);
    let shape = CubeGeometry { plane: group.lanes, ..shape };
    let uniformity = Uniformity::with_geometry(kernel, shape);
    let loops = if is_split { inside_units(run, kernel, group, &uniformity)? } else { 1 };
    if !is_split && !whole(run, kernel, group, &uniformity, independent)? {
        return Ok(());
    }
    kernel.set_attr(SIMD_WIDTH, run.cx().int_attr(run.cx().int(32), i64::from(group.lanes)));
    run.passed(kernel, "vectorize", format_args!("{} units per vector", group.lanes));
    run.count("plane operations", count as u64);
    run.count("loops over planes", loops);
    Ok(())
}

/// Whether the operation is convergent over a plane.
pub(super) fn is_plane_convergent(op: Op<'_>) -> bool {
    is_plane_op(op) || sync_scope(op) == Some(SyncScope::Plane)
}

/// The largest number of lanes of a group that is not a plane: the number of 32-bit numbers in the widest
/// vector.
const WIDEST: u32 = 16;

const WIDTHS: [u32; 3] = [16, 8, 4];

fn group_of(inside: &[Op<'_>], shape: CubeGeometry) -> Group {
    let uses_plane = |op: &&Op<'_>| {
        let of_plane = [TopologyKind::PlanePos, TopologyKind::UnitPosPlane];
        is_plane_convergent(**op) || ops::Topology::of(**op).is_some_and(|t| of_plane.contains(&t.kind()))
    };
    let plane = shape.plane;
    let lanes = match inside.iter().find(uses_plane) {
        Some(_) => plane,
        None => {
            let most = plane.min(WIDEST);
            let of_row = WIDTHS.into_iter().find(|n| *n <= most && shape.dim[0].is_multiple_of(*n));
            of_row.unwrap_or_else(|| most.min(shape.units().next_power_of_two()).max(4))
        }
    };
    Group { lanes, plane, shape: CubeGeometry { plane: lanes, ..shape } }
}

// Whether vectorisation can speed up units without barriers. LLVM vectorises a loop over units only if the units have
// no inner loop.
fn can_gain(inside: &[Op<'_>]) -> bool {
    let is_loop = |op: &Op<'_>| op.is(scf::FOR) || op.is(scf::WHILE);
    let own = |op: &Op<'_>| op.is(memref::ALLOCA) && memory::allocation_scope(op.result(0)) == AllocationScope::Unit;
    let atomic = |op: &Op<'_>| is_atomic(*op);
    inside.iter().any(is_loop) && !inside.iter().any(|op| own(op) || atomic(op))
}

// Vectorises the whole kernel except its allocations. With `only_if_profitable`, the kernel stays scalar if it accesses
// elements that are not adjacent in a loop. Returns whether the kernel was vectorised.
fn whole<'p>(
    run: &mut Run<'p>,
    kernel: Op<'p>,
    group: Group,
    uniformity: &Uniformity<'p>,
    only_if_profitable: bool,
) -> Result<bool, Failed> {
    let block = kernel.body().ok_or(Failed)?;
    let mut old = block.ops();
    let Some(end) = old.pop() else { return Ok(false) };
    let mut vectors = SpmdEmitter::new(run, group, uniformity, kernel);
    vectors.write(&old, end)?;
    if only_if_profitable && vectors.scatters_in_loops() {
        vectors.undo();
        let why = "the units are not vectorised, because they access elements in a loop that are not adjacent";
        run.missed(kernel, "vectorize", why, "let neighbouring units access neighbouring elements in the loop");
        return Ok(false);
    }
    vectors.remark();
    for op in old.into_iter().rev().filter(|op| !op.is(memref::ALLOCA)) {
        run.erase(op);
    }
    Ok(true)
}

// Vectorises the loops over units.
fn inside_units<'p>(
    run: &mut Run<'p>,
    kernel: Op<'p>,
    group: Group,
    uniformity: &Uniformity<'p>,
) -> Result<u64, Failed> {
    let over_units = |op: Op<'p>| matches!(UnitLoop::of(op), Some(UnitLoop::Unit(_)));
    let outermost = |op: &Op<'p>| over_units(*op) && !op.ancestors().any(over_units);
    let loops: Vec<Op<'p>> = kernel.walk().into_iter().filter(outermost).collect();
    for outer in &loops {
        let inner = outer.walk().into_iter().find(|op| UnitLoop::of(*op) == Some(UnitLoop::Unit(0))).unwrap_or(*outer);
        let block = inner.body().ok_or(Failed)?;
        let mut ops = block.ops();
        ops.pop();
        let mut vectors = SpmdEmitter::new(run, group, uniformity, kernel);
        vectors.write(&ops, *outer)?;
        vectors.remark();
        run.erase(*outer);
    }
    Ok(loops.len() as u64)
}
