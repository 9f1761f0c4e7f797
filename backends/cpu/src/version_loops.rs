//! Evaluates the bounds checks of a loop before the loop. If all indices are in bounds, a copy of the loop without
//! checks runs.
//!
//! ```mlir
//! scf.for unsigned %i = %a to %b {             %in = extui(%base) + extui(%b) <= extui(%n)      // in 64 bits: no wrap
//!   %c = cmpi ult, (%base + %i), %n            scf.if %in { scf.for ... { ... without %c ... } }
//!   scf.if %c { load } else { 0 }              else { the loop as it was }
//! ```
//!
//! For `i` below `b`, the 32-bit sum `base + i` wraps only if `base + b` exceeds 2^32. A `base + b` above 2^32 also
//! exceeds every length, so the loop with checks runs. The pass applies to innermost unsigned loops whose base and
//! limit are loop-invariant. One condition combines all checks of a loop. Cost: linear.
use cube_ir::ops::{arith, scf};
use cube_ir::{Builder, Op, PassResult, Run, TypeExt, Val, pass, upstream::IntCmp};
use cube_passes::analysis::loops::is_outside;

pass! {
    name: "version-loops",
    summary: "hoists the checks of a loop, and runs a copy of the loop without checks if no check fails",
    on: any,
    level: Device => Device,
    dialects: ["arith", "scf"],
    statistics: ["loops versioned", "checks hoisted"],
    run: run,
}

/// Maximum number of operations in a loop that the pass copies.
const MAX_OPS: usize = 256;

/// A bounds check: it compares the sum of `base` and the induction value with `limit`. A base of `None` is
/// zero.
struct Check<'p> {
    op: Op<'p>,
    base: Option<Val<'p>>,
    limit: Val<'p>,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        if !op.is(scf::FOR) {
            continue;
        }
        let checks = checks_of(op);
        if checks.is_empty() {
            if let Some((why, way)) = why_not(op) {
                run.missed(op, "version", format_args!("the bounds checks stay in the loop, because {why}"), way);
            }
        } else {
            let n = checks.len();
            run.passed(
                op,
                "version",
                format_args!("{n} bounds checks are tested before the loop; if all succeed, a copy of the loop without checks runs"),
            );
            run.count("loops versioned", 1);
            run.count("checks hoisted", checks.len() as u64);
            version(run, op, &checks);
        }
    }
    Ok(())
}

fn checks_of<'p>(loop_op: Op<'p>) -> Vec<Check<'p>> {
    let inside = loop_op.walk();
    let innermost = inside.iter().filter(|op| op.is(scf::FOR) || op.is(scf::WHILE)).count() == 1;
    let plain = loop_op.attr("unsignedCmp").is_some() && loop_op.operand(0).ty().bits() == Some(32);
    if !innermost || !plain || inside.len() > MAX_OPS {
        return Vec::new();
    }
    inside.into_iter().filter_map(|op| check_of(op, loop_op)).collect()
}

// The reason why a loop is not versioned; `None` for a loop without checks.
fn why_not(loop_op: Op<'_>) -> Option<(&'static str, &'static str)> {
    let inside = loop_op.walk();
    let is_check = |op: &Op<'_>| {
        op.is(arith::CMPI) && op.result(0).uses().iter().any(|(user, _)| user.is(scf::IF) && user.results().len() > 0)
    };
    // Loops over units count in other types, and other passes handle them.
    let counts = loop_op.operand(0).ty().bits() == Some(32);
    if !counts
        || !inside.iter().any(is_check)
        || inside.iter().filter(|op| op.is(scf::FOR) || op.is(scf::WHILE)).count() > 1
    {
        return None;
    }
    Some(if loop_op.attr("unsignedCmp").is_none() {
        ("the loop compares signed numbers", "write the loop as scf.for unsigned")
    } else if inside.len() > MAX_OPS {
        ("its body is too large to copy", "make the loop smaller")
    } else {
        (
            "the loop has no bounds check of the form `base + i < length` with loop-invariant base and length",
            "write indices as `base + i`, with the base computed before the loop",
        )
    })
}

fn check_of<'p>(op: Op<'p>, loop_op: Op<'p>) -> Option<Check<'p>> {
    if arith::Cmpi::of(op)?.predicate() != Some(IntCmp::Ult) {
        return None;
    }
    let (index, limit) = (op.operand(0), op.operand(1));
    let guards = op.result(0).uses().iter().any(|(user, _)| user.is(scf::IF));
    let induction = loop_op.body()?.arg(0);
    if !guards || !is_outside(limit, loop_op) {
        return None;
    }
    if index == induction {
        return Some(Check { op, base: None, limit });
    }
    let sum = index.def_of(arith::ADDI)?;
    let base = match (sum.operand(0), sum.operand(1)) {
        (base, i) | (i, base) if i == induction => base,
        _ => return None,
    };
    is_outside(base, loop_op).then_some(Check { op, base: Some(base), limit })
}

fn version<'p>(run: &mut Run<'p>, loop_op: Op<'p>, checks: &[Check<'p>]) {
    let b = Builder::before(loop_op);
    let all = checks.iter().map(|check| inside(b, check, loop_op.operand(1))).reduce(|x, y| b.andi(x, y));
    let Some(condition) = all else { return };
    let types: Vec<_> = loop_op.results().map(|r| r.ty()).collect();
    let versions = b.if_else(
        condition,
        &types,
        |b| {
            let copy = b.insert_copy(loop_op);
            for (old, new) in loop_op.walk().into_iter().zip(copy.walk()) {
                if checks.iter().any(|check| check.op == old) {
                    new.result(0).replace_all_uses(Builder::before(copy).int(b.cx().int(1), 1));
                }
            }
            copy.results().collect()
        },
        |b| b.insert_copy(loop_op).results().collect(),
    );
    let values: Vec<_> = versions.results().collect();
    run.replace(loop_op, &values);
}

// base + bound <= limit, in 64 bits.
fn inside<'p>(b: Builder<'p>, check: &Check<'p>, bound: Val<'p>) -> Val<'p> {
    let wide = |v: Val<'p>| b.cast(arith::EXTUI, v, b.cx().int(64));
    let end = match check.base {
        Some(base) => b.addi(wide(base), wide(bound)),
        None => wide(bound),
    };
    b.cmpi(IntCmp::Ule, end, wide(check.limit))
}
