//! Splits a loop into iterations in which no check can fail, and the remaining iterations.
//!
//! ```mlir
//!                                              %safe = cube.subui_sat %len, %start
//!                                              %end = minui %n, %safe
//! %s = scf.for %i = 0 to %n {                  %t = scf.for %i = 0 to %end {
//!   %at = %start + %i                            %at = %start + %i
//!   %v = cube.load %x[%at] checked               %v = cube.load %x[%at] inbounds
//! }                                            }
//!                                              %s = scf.for %i = %end to %n iter_args(%t) { original body }
//! ```
//!
//! A check is a checked access, or a comparison `ult` with a limit that is constant in the loop. Its left side is
//! `a i + u` modulo 2^n for the counter `i` and loop invariants `a` and `u`. The exact number `a i + u` is below the limit
//! `m` if `i` is below `ceil((m - u) / max(a, 1))` and `u` is below `m`. Below `m`, the exact number does not wrap, so it
//! equals the number that the kernel computes. The first loop runs up to the smallest of these ends.
//!
//! Invariant: each iteration runs once and in the same order, with the same values. If units synchronise or exchange
//! values in the loop, the ends must be equal in all units of the cube, so that units stay together. A loop is copied
//! only if the first loop has no checked access, because a copy costs code. The pass changes only unsigned loops with a
//! constant lower bound, a constant step, and an upper bound that is equal in the whole launch. The pass does not
//! change a kernel that `coarsen` changed, because few units of such a kernel run loops with checks. Cost: linear. Each
//! loop is copied at most once, up to a number of operations.
use crate::analysis::constants::int_of;
use crate::analysis::loops::is_outside;
use crate::analysis::uniformity::{Uniform, Uniformity};
use cube_dialect::{Bounds, BufferType, CUBE_COUNT, access_of, alignment_of, bounds_of, ops, set_bounds};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Op, PassResult, Run, Val, pass, properties::is_convergent};

/// Maximum number of operations between a check and the inputs of its number.
const DEEPEST: u32 = 16;

/// Maximum number of different checks of a loop.
const MAX_CHECKS: usize = 4;

pass! {
    name: "peel-loops",
    summary: "splits loops, so that only the last iterations are checked",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf"],
    options: {
        operations: Int(128) = "largest number of operations of a loop that is copied",
    },
    statistics: ["loops peeled", "loops kept", "checks removed"],
    run: run,
}

/// A check of a loop: `number` is below the limit.
#[derive(Clone, Copy)]
struct Check<'p> {
    op: Op<'p>,
    number: Val<'p>,
    limit: Limit<'p>,
}

/// The limit of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit<'p> {
    /// A value that is constant in the loop.
    Value(Val<'p>),
    /// The number of lines of a buffer.
    Lines(Val<'p>),
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    if kernel.attr(CUBE_COUNT).is_some() {
        run.unchanged();
        return Ok(());
    }
    let most = run.int("operations").max(0) as usize;
    let mut uniformity = None;
    let mut changed = false;
    // Inner loops come first. A loop around a peeled loop has more operations than before.
    for loop_op in kernel.walk().into_iter().filter(|op| op.is(scf::FOR)) {
        let checks = checks_of(loop_op);
        if checks.is_empty() {
            continue;
        }
        if let Some((rule, why, way)) = why_not(loop_op, &checks, most, &mut uniformity, kernel) {
            run.missed(loop_op, rule, format_args!("all iterations are checked, because {why}"), way);
            run.count("loops kept", 1);
            continue;
        }
        let count = checks.len();
        let what = format!("{count} checks are removed from all iterations except the last ones");
        run.passed(loop_op, "peel", what);
        run.count("loops peeled", 1);
        run.count("checks removed", count as u64);
        peel(loop_op, &checks);
        changed = true;
    }
    if !changed {
        run.unchanged();
    }
    Ok(())
}

/// The checks of a loop whose number depends on the loop's counter.
fn checks_of<'p>(loop_op: Op<'p>) -> Vec<Check<'p>> {
    let Some(body) = loop_op.body() else { return vec![] };
    let counter = body.arg(0);
    let depends = |number: Val<'p>| {
        number.ty() == counter.ty() && !is_outside(number, loop_op) && is_linear(number, loop_op, DEEPEST)
    };
    let mut all = Vec::new();
    for op in loop_op.walk().into_iter().filter(|op| *op != loop_op) {
        if let Some(access) = access_of(op) {
            let plain = bounds_of(op) == Some(Bounds::Checked) && alignment_of(op).is_none();
            if plain && is_outside(access.buffer, loop_op) && depends(access.index) {
                all.push(Check { op, number: access.index, limit: Limit::Lines(access.buffer) });
            }
        } else if arith::Cmpi::of(op).and_then(|compare| compare.predicate()) == Some(IntCmp::Ult) {
            let (number, limit) = (op.operand(0), op.operand(1));
            if is_outside(limit, loop_op) && depends(number) {
                all.push(Check { op, number, limit: Limit::Value(limit) });
            }
        }
    }
    all
}

// Whether a number is `a i + u` for the counter `i` of a loop and invariants `a` and `u`.
fn is_linear<'p>(value: Val<'p>, loop_op: Op<'p>, depth: u32) -> bool {
    if is_outside(value, loop_op) || loop_op.body().is_some_and(|body| value == body.arg(0)) {
        return true;
    }
    let (Some(op), Some(depth)) = (value.def(), depth.checked_sub(1)) else { return false };
    let linear = |n: usize| is_linear(op.operand(n), loop_op, depth);
    let fixed = |n: usize| is_fixed(op.operand(n), loop_op, depth);
    match op.kind() {
        arith::ADDI | arith::SUBI => linear(0) && linear(1),
        arith::MULI => linear(0) && fixed(1) || fixed(0) && linear(1),
        cube::SHL => linear(0) && int_of(op.operand(1)).is_some(),
        arith::CONSTANT => true,
        _ => false,
    }
}

// Whether a number is the same in all iterations and can be computed before the loop.
fn is_fixed<'p>(value: Val<'p>, loop_op: Op<'p>, depth: u32) -> bool {
    if is_outside(value, loop_op) {
        return true;
    }
    let (Some(op), Some(depth)) = (value.def(), depth.checked_sub(1)) else { return false };
    match op.kind() {
        arith::ADDI | arith::SUBI | arith::MULI => op.operands().all(|v| is_fixed(v, loop_op, depth)),
        arith::CONSTANT => true,
        _ => false,
    }
}

type Reason = (&'static str, String, &'static str);

// Rule, reason and remedy of a loop that is not split.
fn why_not<'p>(
    loop_op: Op<'p>,
    checks: &[Check<'p>],
    most: usize,
    uniformity: &mut Option<Uniformity<'p>>,
    kernel: Op<'p>,
) -> Option<Reason> {
    let [from, step] = [0, 2].map(|n| int_of(loop_op.operand(n)));
    if loop_op.attr("unsignedCmp").is_none() || loop_op.operand(0).ty() != loop_op.cx().int(32) {
        return Some(("counter", "the counter is not an unsigned number of 32 bits".into(), "write scf.for unsigned"));
    }
    if from.is_none() || step.is_none_or(|step| step <= 0) {
        let why = "the first value and the step of the loop are not constants".into();
        return Some(("bounds", why, "count from a constant in constant steps"));
    }
    if int_of(loop_op.operand(1)).is_some() {
        let why = "the number of iterations is constant, and a code generator can unroll the loop".into();
        return Some(("constant", why, "guard the accesses before the loop"));
    }
    let size = loop_op.walk().len();
    if size > most {
        return Some(("size", format!("the loop has {size} operations, more than {most}"), "make the loop smaller"));
    }
    if ends_of(checks).len() > MAX_CHECKS {
        return Some((
            "checks",
            "the loop has too many different checks".into(),
            "guard several accesses by one condition",
        ));
    }
    let all = loop_op.walk();
    let stays = |op: &Op<'p>| bounds_of(*op) == Some(Bounds::Checked) && !checks.iter().any(|check| check.op == *op);
    if let Some(other) = all.iter().find(|op| stays(op)) {
        let why = format!("the check of another '{}' would stay in each iteration", other.name());
        return Some(("partial", why, "compute its index as a sum of products with the counter"));
    }
    if !all.into_iter().any(is_convergent) {
        return None;
    }
    let known = uniformity.get_or_insert_with(|| Uniformity::of(kernel));
    let mut inputs = Vec::new();
    checks.iter().for_each(|check| inputs_of(check.number, loop_op, &mut inputs));
    inputs.extend(checks.iter().filter_map(|check| match check.limit {
        Limit::Value(value) => Some(value),
        Limit::Lines(_) => None,
    }));
    let divergent = inputs.into_iter().any(|value| known.level_of(value) != Uniform::Cube);
    divergent.then(|| {
        let why =
            "units synchronise in the loop, and the first failing check of each unit can be in a different iteration";
        ("divergent", why.to_string(), "check a number that is equal in all units")
    })
}

// The values outside of the loop that are inputs of a linear number.
fn inputs_of<'p>(value: Val<'p>, loop_op: Op<'p>, inputs: &mut Vec<Val<'p>>) {
    if is_outside(value, loop_op) {
        inputs.push(value);
    } else if let Some(op) = value.def() {
        op.operands().for_each(|operand| inputs_of(operand, loop_op, inputs));
    }
}

// The different pairs of a number and a limit.
fn ends_of<'p>(checks: &[Check<'p>]) -> Vec<Check<'p>> {
    let mut ends: Vec<Check<'p>> = Vec::new();
    for check in checks {
        if !ends.iter().any(|end| end.number == check.number && end.limit == check.limit) {
            ends.push(*check);
        }
    }
    ends
}

fn peel<'p>(loop_op: Op<'p>, checks: &[Check<'p>]) {
    let b = Builder::before(loop_op);
    let [from, to, step] = [0, 1, 2].map(|n| loop_op.operand(n));
    let min = |x: Val<'p>, y: Val<'p>| b.op(arith::MINUI).operands(&[x, y]).result(x.ty()).value();
    let end = ends_of(checks).into_iter().fold(to, |end, check| min(end, first_failure(b, loop_op, check)));
    let next = next_counter(b, [from, end, step], to);
    let main = b.insert_copy(loop_op);
    main.move_before(loop_op);
    main.set_operand(1, end);
    let yes = Builder::before(main).int(main.cx().int(1), 1);
    for (old, new) in loop_op.walk().into_iter().zip(main.walk()) {
        let is_check = checks.iter().any(|check| check.op == old);
        if access_of(old).is_none() {
            if is_check {
                new.result(0).replace_all_uses(yes);
            }
        } else if is_check || bounds_of(old) == Some(Bounds::Inbounds) {
            // The same conditions enclose the copy, so an access that was in bounds is in bounds in the copy.
            set_bounds(new, Bounds::Inbounds);
        }
    }
    loop_op.set_operand(0, next);
    for (n, result) in main.results().enumerate() {
        loop_op.set_operand(n + 3, result);
    }
}

// The smallest number `i` for which a check can fail.
fn first_failure<'p>(b: Builder<'p>, loop_op: Op<'p>, check: Check<'p>) -> Val<'p> {
    let ty = check.number.ty();
    let (zero, one) = (b.int(ty, 0), b.int(ty, 1));
    let limit = match check.limit {
        Limit::Value(value) => value,
        Limit::Lines(buffer) => match BufferType::of(buffer.ty()).and_then(BufferType::lines) {
            Some(lines) => b.int(ty, lines as i64),
            None => b.op(ops::BufferLen::KIND).operands(&[buffer]).result(ty).value(),
        },
    };
    let (factor, start) = at(b, check.number, loop_op);
    let saturating = |x: Val<'p>, y: Val<'p>| b.op(cube::SUBUI_SAT).operands(&[x, y]).result(ty).value();
    let rest = start.map_or(limit, |start| saturating(limit, start));
    match factor {
        None => rest,
        Some(factor) => {
            let factor = b.op(arith::MAXUI).operands(&[factor, one]).result(ty).value();
            let last = b.op(cube::DIVUI).operands(&[saturating(rest, one), factor]).result(ty).value();
            b.select(b.cmpi(IntCmp::Eq, rest, zero), zero, b.addi(last, one))
        }
    }
}

// The factor of the counter and the summand of a linear number. `None` means the factor 1, or the summand 0.
fn at<'p>(b: Builder<'p>, value: Val<'p>, loop_op: Op<'p>) -> (Option<Val<'p>>, Option<Val<'p>>) {
    let ty = value.ty();
    if loop_op.body().is_some_and(|body| value == body.arg(0)) {
        return (None, None);
    }
    // A sum of the counter and an invariant has the factor 1.
    let counter = |v: Val<'p>| loop_op.body().is_some_and(|body| v == body.arg(0));
    if let Some(sum) = value.def_of(arith::ADDI)
        && let Some(n) = (0..2).find(|n| counter(sum.operand(*n)) && is_outside(sum.operand(1 - n), loop_op))
    {
        return (None, Some(sum.operand(1 - n)));
    }
    let [start, next] = [0, 1].map(|number| with_counter(b, value, loop_op, b.int(ty, number)));
    (Some(b.subi(next, start)), Some(start))
}

// The value of a linear number for a counter, computed before the loop.
fn with_counter<'p>(b: Builder<'p>, value: Val<'p>, loop_op: Op<'p>, counter: Val<'p>) -> Val<'p> {
    if is_outside(value, loop_op) {
        return value;
    }
    if let Some(number) = int_of(value) {
        return b.int(value.ty(), number);
    }
    let Some(op) = value.def() else { return counter };
    let operands: Vec<Val<'p>> = op.operands().map(|operand| with_counter(b, operand, loop_op, counter)).collect();
    match (op.kind(), &operands[..]) {
        (arith::ADDI, [x, y]) => b.addi(*x, *y),
        (arith::SUBI, [x, y]) => b.subi(*x, *y),
        (arith::MULI, [x, y]) => b.muli(*x, *y),
        (kind, _) => b.op(kind).operands(&operands).result(value.ty()).value(),
    }
}

// The first value of the counter that is at least `end`. If no such number exists, the result is `to`, which ends the
// loop.
fn next_counter<'p>(b: Builder<'p>, [from, end, step]: [Val<'p>; 3], to: Val<'p>) -> Val<'p> {
    let ty = from.ty();
    if int_of(step) == Some(1) {
        return b.op(arith::MAXUI).operands(&[from, end]).result(ty).value();
    }
    let (zero, one) = (b.int(ty, 0), b.int(ty, 1));
    let saturating = |x: Val<'p>, y: Val<'p>| b.op(cube::SUBUI_SAT).operands(&[x, y]).result(ty).value();
    let distance = saturating(end, from);
    let last = b.op(cube::DIVUI).operands(&[saturating(distance, one), step]).result(ty).value();
    let count = b.select(b.cmpi(IntCmp::Eq, distance, zero), zero, b.addi(last, one));
    let next = b.addi(from, b.muli(count, step));
    // If the sum exceeds the largest number, it wraps and is below `end`.
    b.select(b.cmpi(IntCmp::Ult, next, end), to, next)
}
