//! Replaces a guard on the induction value of a loop by a smaller upper bound of the loop.
//!
//! ```mlir
//! scf.for unsigned %i = %a to %b step 1 {             %e = minui %b, (extui %n)
//!   scf.if (cmpi ult (trunci nuw %i), %n) { ... }     scf.for unsigned %i = %a to %e step 1 { ... }
//! ```
//!
//! After `emit-unit-loops`, the code `if ABSOLUTE_POS < len` is a guard on the induction value of a loop. The pass
//! removes the guard's branch, so LLVM vectorises the loop without masks. The pass requires that no operation outside
//! the guard has side effects, so that the removed iterations have no effect. In a conjunction, only the comparison of
//! the induction value is removed. Cost: linear.
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Builder, Op, PassResult, Run, TypeExt, Val, pass, properties::is_pure, upstream::IntCmp};
use cube_passes::analysis::loops::is_outside;

pass! {
    name: "tighten-loop-bounds",
    summary: "replaces a guard on the loop counter by a tighter bound of the loop",
    on: any,
    level: Device => Device,
    dialects: ["arith", "scf"],
    statistics: ["loops shrunk"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        if op.is(scf::FOR) && shrink(run, op) {
            run.passed(op, "shrink", "the guard on the induction value becomes the bound of the loop");
            run.count("loops shrunk", 1);
        }
    }
    Ok(())
}

fn shrink<'p>(run: &mut Run<'p>, loop_op: Op<'p>) -> bool {
    let step_one =
        loop_op.operand(2).def_of(arith::CONSTANT).and_then(|c| c.attr("value")).and_then(|v| v.as_int()) == Some(1);
    let plain = loop_op.attr("unsignedCmp").is_some() && loop_op.results().len() == 0 && step_one;
    let Some(guard) = Some(loop_op).filter(|_| plain).and_then(only_effect) else { return false };
    if guard.results().len() != 0
        || guard.regions().nth(1).and_then(|r| r.first_block()).is_some_and(|b| b.ops().len() > 1)
    {
        return false;
    }
    let induction = loop_op.body().expect("loops have a body").arg(0);
    let Some((limit, rest)) = split(guard.operand(0), induction, loop_op) else { return false };

    let b = Builder::before(loop_op);
    let wide = if limit.ty() == induction.ty() { limit } else { b.cast(arith::EXTUI, limit, induction.ty()) };
    loop_op.set_operand(1, b.minui(loop_op.operand(1), wide));
    match rest {
        Some(condition) => guard.set_operand(0, condition),
        None => {
            let body = guard.body().expect("an if has a body");
            body.splice_before(guard);
            run.erase(guard);
        }
    }
    true
}

// The `scf.if` that is the only operation of the body with side effects.
fn only_effect<'p>(loop_op: Op<'p>) -> Option<Op<'p>> {
    let ops = loop_op.body()?.ops();
    let (last, rest) = ops.split_last()?;
    let mut effects = rest.iter().filter(|op| !is_pure(**op) || op.regions().len() > 0);
    let guard = effects.next().copied().filter(|g| g.is(scf::IF))?;
    (effects.next().is_none() && last.operands().len() == 0).then_some(guard)
}

// The invariant limit that the condition sets on the induction value, and the rest of the condition.
fn split<'p>(condition: Val<'p>, induction: Val<'p>, loop_op: Op<'p>) -> Option<(Val<'p>, Option<Val<'p>>)> {
    let def = condition.def()?;
    if def.is(arith::ANDI) && condition.ty().is_scalar() {
        let (lhs, rhs) = (def.operand(0), def.operand(1));
        return match (split(lhs, induction, loop_op), split(rhs, induction, loop_op)) {
            (Some((limit, None)), _) => Some((limit, Some(rhs))),
            (_, Some((limit, None))) => Some((limit, Some(lhs))),
            _ => None,
        };
    }
    let (value, limit) = match arith::Cmpi::of(def)?.predicate()? {
        IntCmp::Ult => (def.operand(0), def.operand(1)),
        IntCmp::Ugt => (def.operand(1), def.operand(0)),
        _ => return None,
    };
    (is_induction(value, induction) && is_outside(limit, loop_op)).then_some((limit, None))
}

// Whether `value` is the induction value or a truncation of it that is declared not to lose bits.
fn is_induction<'p>(value: Val<'p>, induction: Val<'p>) -> bool {
    let truncated = value.def_of(arith::TRUNCI).filter(|t| t.operand(0) == induction);
    let promised = |t: Op<'p>| {
        let flags = arith::Trunci::of(t).and_then(|cast| cast.overflow_flags());
        flags.is_some_and(|flags| flags.contains(arith::IntegerOverflowFlags::NUW))
    };
    value == induction || truncated.is_some_and(promised)
}
