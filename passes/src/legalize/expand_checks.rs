//! Turns checked accesses into guarded ones: a read outside gives zero, a write outside is dropped.
//!
//! ```mlir
//! %v = cube.load %x[%i] checked          %n = cube.len %x
//!                                        %c = arith.cmpi ult, %i, %n
//!                                        %v = scf.if %c { cube.load %x[%i] inbounds } else { 0 }
//! ```
//!
//! Invariant: every access that is left is `inbounds`. Cost: linear.
use cube_dialect::{Bounds, bounds_of, ops, set_bounds};
use cube_ir::{Op, PassResult, Run, Val, pass, upstream::IntCmp};

pass! {
    name: "expand-checks",
    summary: "turns checked accesses into guarded ones",
    on: "cube.kernel",
    level: Flat => Flat,
    dialects: ["cube", "arith", "scf"],
    statistics: ["loads guarded", "stores guarded"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        if bounds_of(op) != Some(Bounds::Checked) {
            continue;
        }
        if let Some(load) = ops::Load::of(op) {
            guard_load(run, load);
            run.count("loads guarded", 1);
        } else if let Some(store) = ops::Store::of(op) {
            guard_store(run, store);
            run.count("stores guarded", 1);
        }
    }
    Ok(())
}

fn inside<'p>(run: &Run<'p>, op: Op<'p>, buffer: Val<'p>, index: Val<'p>) -> Val<'p> {
    let b = run.before(op);
    let length = b.op("cube.len").operands(&[buffer]).result(b.cx().int(32)).value();
    b.cmpi(IntCmp::Ult, index, length)
}

fn guard_load<'p>(run: &mut Run<'p>, load: ops::Load<'p>) {
    let op = load.op();
    let ty = op.result(0).ty();
    let condition = inside(run, op, load.buffer(), load.index());
    let guarded = run.before(op).if_else(
        condition,
        &[ty],
        |b| {
            let read = b.op("cube.load").operands(&[load.buffer(), load.index()]).result(ty).build();
            set_bounds(read, Bounds::Inbounds);
            vec![read.result(0)]
        },
        |b| vec![b.zero(ty)],
    );
    run.replace(op, &[guarded.result(0)]);
}

fn guard_store<'p>(run: &mut Run<'p>, store: ops::Store<'p>) {
    let op = store.op();
    let condition = inside(run, op, store.buffer(), store.index());
    run.before(op).if_else(
        condition,
        &[],
        |b| {
            let write = b.op("cube.store").operands(&[store.value(), store.buffer(), store.index()]).build();
            set_bounds(write, Bounds::Inbounds);
            vec![]
        },
        |_| vec![],
    );
    run.erase(op);
}
