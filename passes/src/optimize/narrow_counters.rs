//! Restores the counter type of loops that `widen-counters` changed to 64 bits.
//!
//! ```mlir
//! scf.for unsigned %w = (extui %a) to (extui %b) step (extui %s) : i64 { %i = trunci %w  A(%i) } {cube.narrow = i32}
//! ->
//! scf.for unsigned %i = %a to %b step %s : i32 { A(%i) }
//! ```
//!
//! The attribute `cube.narrow` only states the original type of the counter. The pass proves again that each bound fits
//! the type: the bound is an extension of a value of the type, or its largest value is known to fit. Without this
//! proof, a loop keeps its wide counter, which is correct but slower. Invariant: no attribute `cube.narrow` is left.
//! Cost: linear.
use crate::analysis::ranges;
use cube_dialect::attributes::NARROW;
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Builder, Op, PassResult, Run, Type, TypeExt, Val, pass};

pass! {
    name: "narrow-counters",
    summary: "restores the type of loop counters that the pass widen-counters widened",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    statistics: ["counters narrowed", "counters kept wide"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let Some(ty) = op.attr(NARROW).and_then(|attr| attr.as_type()) else { continue };
        op.remove_attr(NARROW);
        if fits(op, ty) {
            narrow(run, op, ty);
            run.count("counters narrowed", 1);
        } else {
            run.count("counters kept wide", 1);
        }
    }
    Ok(())
}

// Whether the loop is unsigned, counts in 64 bits, and has bounds that fit `ty`.
fn fits(op: Op<'_>, ty: Type<'_>) -> bool {
    let Some(bits) = ty.bits().filter(|bits| *bits < 64 && ty.is_int() && ty.is_scalar()) else { return false };
    let counts_wide = || op.operand(0).ty() == op.cx().int(64);
    let fits = |bound: Val<'_>| {
        let source = bound.def_of(arith::EXTUI).map(|def| def.operand(0).ty());
        let largest = || ranges::largest_within(bound, &mut ranges::FUEL.clone());
        source == Some(ty) || largest().is_some_and(|most| most >> bits == 0)
    };
    op.is(scf::FOR) && op.attr("unsignedCmp").is_some() && counts_wide() && (0..3).all(|i| fits(op.operand(i)))
}

fn narrow<'p>(run: &mut Run<'p>, loop_op: Op<'p>, ty: Type<'p>) {
    let b = Builder::before(loop_op);
    for i in 0..3 {
        let bound = loop_op.operand(i);
        loop_op.set_operand(i, narrowed(b, bound, ty));
        let left = bound.def_of(arith::EXTUI).filter(|def| def.is_unused());
        left.into_iter().for_each(|def| run.erase(def));
    }
    let Some(first) = loop_op.body().and_then(|block| block.first()) else { return };
    let counter = first.block().expect("an operation of a block").arg(0);
    let (wide, uses) = (counter.ty(), counter.uses());
    counter.set_type(ty);
    let mut extended = None;
    for (user, operand) in uses {
        if user.is(arith::TRUNCI) && user.result(0).ty() == ty {
            run.replace(user, &[counter]);
        } else {
            // Folding has bypassed the truncation, so this user needs the wide counter.
            let value = *extended.get_or_insert_with(|| Builder::before(first).cast(arith::EXTUI, counter, wide));
            user.set_equal_operand(operand, value);
        }
    }
}

// The bound, converted to the narrow type, which represents its value.
fn narrowed<'p>(b: Builder<'p>, bound: Val<'p>, ty: Type<'p>) -> Val<'p> {
    match (bound.def_of(arith::EXTUI).map(|def| def.operand(0)), crate::analysis::constants::int_of(bound)) {
        (Some(source), _) if source.ty() == ty => source,
        (_, Some(known)) => {
            let spare = 64 - ty.bits().unwrap_or(64);
            b.int(ty, known << spare >> spare)
        }
        _ => b.trunc_nuw(bound, ty),
    }
}
