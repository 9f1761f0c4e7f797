//! Replaces `cube.comptime_if` by the selected branch and unrolls `cube.comptime_for`, with the values of the
//! parameters.
//!
//! ```mlir
//! cube.comptime_if %true { A } else { B }                   A
//! cube.comptime_for %i = %c0 to %c2 step %c1 { A(%i) }      A(0) A(1)
//! ```
//!
//! The pass evaluates conditions and bounds that are integer arithmetic on constants. Outer operations are resolved
//! first, so that the bounds of inner loops can depend on the counters of outer loops. For a condition or bound that is
//! not constant, the error names the value on which it depends. Invariant: no `cube.comptime_if` or `cube.comptime_for`
//! is left. Cost: linear in the size of the resulting kernel, which is limited.
use crate::analysis::constants::int_of;
use cube_dialect::ops;
use cube_ir::ops::cube;
use cube_ir::{Builder, Failed, Op, PassResult, Run, TypeExt, Val, pass};
use cube_semantics::ints::{mask, signed};
use cube_semantics::trip_count;

pass! {
    name: "resolve-comptime",
    summary: "resolves cube.comptime_if and unrolls cube.comptime_for",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["cube", "arith"],
    statistics: ["branches decided", "loops unrolled"],
    run: run,
}

/// Maximum number of operations that unrolling creates in one kernel.
pub(crate) const MAX_UNROLLED_OPS: u64 = 1 << 18;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    // A stack replaces recursion: the comptime operations inside a resolved operation are resolved next.
    let mut open: Vec<Op<'p>> = in_order(run.root());
    let mut created = 0;
    while let Some(op) = open.pop() {
        match op.kind() {
            ops::ComptimeIf::KIND => open.extend(decide(run, op)?),
            ops::ComptimeFor::KIND => open.extend(unroll(run, op, &mut created)?),
            _ => {}
        }
    }
    Ok(())
}

/// The outermost operations `cube.comptime_if` and `cube.comptime_for` in `op`, in reverse order.
fn in_order<'p>(op: Op<'p>) -> Vec<Op<'p>> {
    let mut found = Vec::new();
    let mut open = vec![op];
    while let Some(next) = open.pop() {
        if next != op && (next.is(ops::ComptimeIf::KIND) || next.is(ops::ComptimeFor::KIND)) {
            found.push(next);
            continue;
        }
        open.extend(next.regions().flat_map(|r| r.blocks()).flat_map(|b| b.ops()));
    }
    found
}

fn decide<'p>(run: &mut Run<'p>, op: Op<'p>) -> Result<Vec<Op<'p>>, Failed> {
    let condition = known(op, 0, "its condition")?;
    let block = op.regions().nth(usize::from(condition == 0)).and_then(|r| r.first_block());
    let mut inner = Vec::new();
    if let Some(block) = block {
        inner = block.ops().into_iter().flat_map(itself_or_inside).collect();
        block.splice_before(op);
    }
    run.erase(op);
    run.count("branches decided", 1);
    Ok(inner)
}

fn itself_or_inside<'p>(op: Op<'p>) -> Vec<Op<'p>> {
    if op.is(ops::ComptimeIf::KIND) || op.is(ops::ComptimeFor::KIND) { vec![op] } else { in_order(op) }
}

fn unroll<'p>(run: &mut Run<'p>, op: Op<'p>, created: &mut u64) -> Result<Vec<Op<'p>>, Failed> {
    let [from, to, step] =
        [known(op, 0, "its lower bound")?, known(op, 1, "its upper bound")?, known(op, 2, "its step")?];
    let ty = op.operand(0).ty();
    let values = counter_values(from, to, step, ty.bits().unwrap_or(64), op.attr("unsignedCmp").is_some());
    let size = op.walk().len() as u64;
    *created =
        created.saturating_add(size.saturating_mul(values.clone().take(MAX_UNROLLED_OPS as usize).count() as u64));
    if *created > MAX_UNROLLED_OPS {
        op.error(cube_ir::diagnostic!(CUBE0307.comptime { limit: MAX_UNROLLED_OPS }));
        return Err(Failed);
    }
    let mut inner = Vec::new();
    for value in values {
        let b = Builder::before(op);
        let counter = b.int(ty, value);
        let copy = b.insert_copy(op);
        let body = copy.body().expect("a loop has a body");
        body.arg(0).replace_all_uses(counter);
        inner.extend(body.ops().into_iter().flat_map(itself_or_inside));
        body.splice_before(copy);
        run.erase(copy);
    }
    run.erase(op);
    run.count("loops unrolled", 1);
    inner.reverse();
    Ok(inner)
}

/// All values of a loop's counter, in order.
pub(crate) fn counter_values(
    from: i64,
    to: i64,
    step: i64,
    bits: u32,
    unsigned: bool,
) -> impl Iterator<Item = i64> + Clone {
    let bits = bits.clamp(1, 64);
    let [from, to, step] = [from, to, step].map(|n| n as u64 & mask(bits));
    let value = move |n: u64| from.wrapping_add(n.wrapping_mul(step.max(1))) & mask(bits);
    (0..trip_count(from, to, step, bits, unsigned))
        .map(move |n| if unsigned { value(n) as i64 } else { signed(value(n), bits) })
}

fn known<'p>(op: Op<'p>, operand: usize, what: &str) -> Result<i64, Failed> {
    let value = op.operand(operand);
    int_of(value).ok_or_else(|| {
        let notes = blame(value).map(|at| (at.location(), "it depends on this value".to_string()));
        op.error_with_notes(
            cube_ir::diagnostic!(CUBE0308.comptime { what, instead: if op.is(ops::ComptimeIf::KIND) { cube::IF } else { cube::FOR } }),
            &notes.into_iter().collect::<Vec<_>>(),
        );
        Failed
    })
}

/// Finds the operand that makes `value` non-constant: neither a constant nor the result of a pure operation.
pub(crate) fn blame<'p>(value: Val<'p>) -> Option<Val<'p>> {
    let mut at = value;
    for _ in 0..1000 {
        let numbers =
            |d: &Op<'p>| d.regions().len() == 0 && d.operands().all(|o| o.ty().is_int() || o.ty() == d.cx().index());
        let def = at.def().filter(numbers);
        match def.and_then(|d| d.operands().find(|o| int_of(*o).is_none())) {
            Some(next) => at = next,
            None => break,
        }
    }
    Some(at)
}
