//! CPU: in kernels whose units meet, the local memory of all units becomes one piece of the cube.
//!
//! ```mlir
//! %m = memref.alloca() : memref<16xf32>       %m = memref.alloca() : memref<16*UNITSxf32, workgroup>
//! %v = memref.load %m[%i]                     %v = memref.load %m[%i * UNITS + unit_pos]
//! ```
//!
//! Between two barriers all units run in turn, so each needs its own; line by line, so that neighbouring units find their
//! values side by side. Kernels whose units do not meet are left alone: there one piece serves unit after unit.
//! Cost: linear.
use super::{planes_to_vectors, split_at_barriers, split_at_barriers::shape_of};
use cube_dialect::TopologyKind;
use cube_ir::ops::{arith, cube, memref};
use cube_ir::{Builder, Failed, Op, OpKind, PassResult, Run, Val, pass};
use cube_passes::write::topology;
use cube_to_llvm::memory::{self, Piece};

pass! {
    name: "spread-locals",
    summary: "gives each unit its part of one piece of local memory, where units meet (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith", "cube", "memref", "gpu"],
    statistics: ["pieces spread"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let meets = |op: &Op<'p>| split_at_barriers::meets(*op) || planes_to_vectors::meets(*op);
    let units = shape_of(kernel).units();
    if units == 1 || !kernel.walk().iter().any(meets) {
        return Ok(());
    }
    memory::gather_at_start(kernel);
    for op in kernel.walk() {
        if op.is(memref::ALLOCA) && memory::piece_of(op.result(0)) == Piece::Unit {
            spread(run, op, units)?;
            run.count("pieces spread", 1);
        }
    }
    Ok(())
}

fn spread<'p>(run: &mut Run<'p>, alloca: Op<'p>, units: u32) -> PassResult {
    let old = alloca.result(0);
    let Some((lines, line)) = memory::shape_of(old.ty()) else {
        alloca.error("local memory has a size that is known: memref<16xf32>, for example [CUBE0343]");
        return Err(Failed);
    };
    let b = run.before(alloca);
    let new = memory::alloca(b, memory::type_of(b.cx(), lines * u64::from(units), line, true));
    for (user, number) in old.uses() {
        let Some(index) = index_number(user.kind(), number) else {
            user.error(format!("'{}' cannot use local memory where units meet [CUBE0343]", user.name()));
            return Err(Failed);
        };
        user.set_operand(index, place(run.before(user), user.operand(index), units));
        user.set_operand(number, new);
    }
    run.erase(alloca);
    Ok(())
}

// The operand that is the index of an access, where the memref is operand `number`.
fn index_number(name: OpKind, number: usize) -> Option<usize> {
    let access =
        [memref::LOAD, memref::STORE, cube::ATOMIC_LOAD, cube::ATOMIC_STORE, cube::ATOMIC_RMW, cube::ATOMIC_CAS];
    let stored = matches!(name, memref::STORE | cube::ATOMIC_STORE | cube::ATOMIC_RMW) && number != 1;
    (access.contains(&name) && !stored).then_some(number + 1)
}

fn place<'p>(b: Builder<'p>, index: Val<'p>, units: u32) -> Val<'p> {
    let unit = b.cast(arith::INDEX_CASTUI, topology(b, TopologyKind::UnitPos), b.cx().index());
    b.addi(b.muli(index, b.int(b.cx().index(), i64::from(units))), unit)
}
