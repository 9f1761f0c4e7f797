//! CPU: atomics that the processor has no instruction for become a loop that tries until nobody came in between.
//!
//! ```mlir
//! %r = cube.atomic_rmw addf %v, %m[%i]      %r = scf.while (%old = atomic_load %m[%i]) {
//!                                             %seen = cube.atomic_cas %old, (addf %old, %v), %m[%i]
//!                                             scf.condition(bits of %seen != bits of %old) %seen
//!                                           } do { ^(%s): scf.yield %s }
//! ```
//!
//! Bits are compared, so that a NaN or a zero of the other sign is not taken for another value. Integers stay,
//! for which there are instructions, and so does an exchange. Cost: linear.
use super::combine::combine;
use cube_dialect::{Combine, ops};
use cube_ir::{Builder, PassResult, Run, TypeExt, Val, pass, upstream::IntCmp};

pass! {
    name: "expand-atomics",
    summary: "writes atomics without an instruction as loops of compare and swap (CPU)",
    on: "cube.kernel",
    level: Legal => Legal,
    dialects: ["arith", "cube", "scf"],
    statistics: ["atomics expanded"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let Some(rmw) = ops::AtomicRmw::of(op) else { continue };
        let Some(kind) = Combine::of(rmw.kind()) else { continue };
        if kind == Combine::Exchange || rmw.value().ty().is_int() {
            continue;
        }
        let value = expand(run.before(op), rmw, kind);
        run.replace(op, &[value]);
        run.count("atomics expanded", 1);
    }
    Ok(())
}

fn expand<'p>(b: Builder<'p>, rmw: ops::AtomicRmw<'p>, kind: Combine) -> Val<'p> {
    let (value, place) = (rmw.value(), [rmw.buffer(), rmw.index()]);
    let ty = value.ty();
    let first = b.op("cube.atomic_load").operands(&place).result(ty).value();
    let done = b
        .op("scf.while")
        .operands(&[first])
        .results(&[ty])
        .body(&[ty], |b, args| {
            let new = combine(b, kind, args[0], value);
            let seen = b.op("cube.atomic_cas").operands(&[args[0], new, place[0], place[1]]).result(ty).value();
            let lost = b.cmpi(IntCmp::Ne, bits(b, seen), bits(b, args[0]));
            b.op("scf.condition").operands(&[lost, seen]).build();
        })
        .body(&[ty], |b, args| {
            b.op("scf.yield").operands(args).build();
        })
        .build();
    done.result(0)
}

fn bits<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    match value.ty().bits().filter(|_| value.ty().is_fp()) {
        Some(width) => b.cast("arith.bitcast", value, b.cx().int(width)),
        None => value,
    }
}
