//! Expands `checked` accesses to accesses under a condition: a read out of bounds gives zero, and a write out of bounds
//! is dropped.
//!
//! ```mlir
//! %v = cube.load %x[%i] checked          %n = cube.len %x
//!                                        %c = arith.cmpi ult, %i, %n
//!                                        %v = scf.if %c { cube.load %x[%i] inbounds } else { 0 }
//! ```
//!
//! Invariant: every remaining access is `inbounds`. Cost: linear.
use crate::levels::decided_bounds;
use crate::optimize::remove_checks::deny_checks;
use cube_dialect::{Access, AccessKind, Bounds, access_of, ops, set_bounds};
use cube_ir::{Builder, PassResult, Run, Type, Val, pass, upstream::IntCmp};

pass! {
    name: "expand-checks",
    summary: "turns checked accesses into guarded accesses",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube", "arith", "scf"],
    statistics: ["loads guarded", "stores guarded", "atomics guarded"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    // No later pass removes or guards a check.
    deny_checks(run)?;
    for op in run.root().walk() {
        let checked = decided_bounds(run, op)? == Some(Bounds::Checked);
        let Some(access) = access_of(op).filter(|_| checked) else { continue };
        guard(run, access);
        run.count(
            match access.kind {
                AccessKind::Load => "loads guarded",
                AccessKind::Store => "stores guarded",
                _ => "atomics guarded",
            },
            1,
        );
    }
    Ok(())
}

fn inside<'p>(b: Builder<'p>, buffer: Val<'p>, index: Val<'p>) -> Val<'p> {
    // The length uses the same operation as in kernels, so that `cse` can merge equal lengths.
    let name = if ops::Kernel::len_is_buffer_len(buffer) { ops::Len::KIND } else { ops::BufferLen::KIND };
    let length = b.op(name).operands(&[buffer]).result(b.cx().int(32)).value();
    b.cmpi(IntCmp::Ult, index, length)
}

fn guard<'p>(run: &mut Run<'p>, access: Access<'p>) {
    let op = access.op;
    let types: Vec<Type<'p>> = op.results().map(|r| r.ty()).collect();
    let b = run.before(op);
    let condition = inside(b, access.buffer, access.index);
    let guarded = b.if_else(
        condition,
        &types,
        |b| {
            let copy = b.insert_copy(op);
            set_bounds(copy, Bounds::Inbounds);
            copy.results().collect()
        },
        |b| types.iter().map(|ty| b.zero(*ty)).collect(),
    );
    let values: Vec<Val<'p>> = guarded.results().collect();
    run.replace(op, &values);
}
