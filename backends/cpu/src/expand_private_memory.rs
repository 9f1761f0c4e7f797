//! CPU: in kernels with barriers or plane operations, the local memory of all units becomes one allocation of the cube.
//!
//! ```mlir
//! %m = memref.alloca() : memref<16xf32>       %m = memref.alloca() : memref<16*UNITSxf32, workgroup>
//! %v = memref.load %m[%i]                     %v = memref.load %m[%i * UNITS + unit_pos]
//! ```
//!
//! Between two barriers the units run one after the other, so each unit needs its own part of the memory. The parts of
//! the units are interleaved line by line, so that the values of neighbouring units are adjacent. Kernels without
//! barriers and plane operations are unchanged: one allocation serves all units in sequence. Cost: linear.
use super::{split_barrier_regions, split_barrier_regions::shape_of, vectorize_spmd};
use cube_dialect::TopologyKind;
use cube_ir::access::access_of;
use cube_ir::ops::{arith, memref};
use cube_ir::{Builder, Failed, MemRef, Op, PassResult, Run, Val, pass};
use cube_passes::write::topology;
use cube_to_llvm::memory::{self, AllocationScope};

pass! {
    name: "expand-private-memory",
    summary: "expands local memory to one allocation for all units, in kernels with barriers or plane operations (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith", "cube", "memref", "gpu"],
    statistics: ["allocations expanded"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let is_convergent =
        |op: &Op<'p>| split_barrier_regions::is_cube_barrier(*op) || vectorize_spmd::is_plane_convergent(*op);
    let units = shape_of(kernel).units();
    if units == 1 || !kernel.walk().iter().any(is_convergent) {
        return Ok(());
    }
    memory::gather_at_start(kernel);
    for op in kernel.walk() {
        if op.is(memref::ALLOCA) && memory::allocation_scope(op.result(0)) == AllocationScope::Unit {
            expand(run, op, units)?;
            run.count("allocations expanded", 1);
        }
    }
    Ok(())
}

fn expand<'p>(run: &mut Run<'p>, alloca: Op<'p>, units: u32) -> PassResult {
    let old = alloca.result(0);
    let Some((lines, line)) = memory::shape_of(old.ty()) else {
        alloca.error(cube_ir::diagnostic!(CUBE0343.local));
        return Err(Failed);
    };
    let b = run.before(alloca);
    let new = memory::alloca(b, memory::type_of(b.cx(), lines * u64::from(units), line, true));
    for (user, number) in old.uses() {
        let Some(index) = index_number(user, number) else {
            user.error(cube_ir::diagnostic!(CUBE0343.use_of));
            return Err(Failed);
        };
        user.set_operand(index, interleaved(run.before(user), user.operand(index), units));
        user.set_operand(number, new);
    }
    run.erase(alloca);
    Ok(())
}

// The number of the index operand of an access to one line; the memref is operand `number`.
fn index_number(op: Op<'_>, number: usize) -> Option<usize> {
    let access = access_of(op).filter(|access| access.buffer_operand == number)?;
    let one = access.index().is_some() && access.mask.is_none() && access.offsets.is_none();
    let line = MemRef::of(access.buffer.ty()).map(|memref| memref.line);
    // Neighbouring lines of one unit are not adjacent in the new layout.
    (one && access.ty() == line).then(|| access.first_index())
}

fn interleaved<'p>(b: Builder<'p>, index: Val<'p>, units: u32) -> Val<'p> {
    let unit = b.cast(arith::INDEX_CASTUI, topology(b, TopologyKind::UnitPos), b.cx().index());
    b.addi(b.muli(index, b.int(b.cx().index(), i64::from(units))), unit)
}
