//! Unrolls loops that have an attribute: `cube.unroll` unrolls all iterations, `cube.unroll = N` unrolls by
//! the factor N.
//!
//! ```mlir
//! %s = scf.for unsigned %i = %a to %b step %c1 iter_args(%x = %init) { A(%i, %x) } {cube.unroll = 4 : i32}
//! ->
//! %m = %a + (%b - %a) / 4 * 4
//! %t = scf.for unsigned %i = %a to %m step %c4 iter_args(%x = %init) { A(%i), A(%i + 1), A(%i + 2), A(%i + 3) }
//! %s = scf.for unsigned %i = %m to %b step %c1 iter_args(%x = %t) { A(%i, %x) }
//! ```
//!
//! Full unrolling requires constant bounds; a bound that is not constant is an error. Unrolling by a factor requires
//! a loop with a step of one. The pass does not change a loop with another step, or with a factor that the
//! counter's type cannot represent, and reports this loop in a remark. Invariant: no attribute `cube.unroll`
//! is left. Cost: linear in the size of the resulting kernel, which is limited.
use super::resolve_comptime::{MAX_UNROLLED_OPS, blame, counter_values};
use crate::analysis::constants::int_of;
use cube_dialect::attributes::UNROLL;
use cube_ir::ops::scf;
use cube_ir::{AttrExt, Builder, Failed, Op, PassResult, Run, TypeExt, Val, pass, upstream::IntCmp};

pass! {
    name: "unroll",
    summary: "unrolls loops with the attribute cube.unroll",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["arith", "scf"],
    statistics: ["loops unrolled", "loops kept"],
    run: run,
}

/// Largest factor.
const MAX_FACTOR: i64 = 1024;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let mut created = 0;
    // Inner loops are unrolled first, so that copies of an outer body contain the unrolled loops.
    for op in run.root().walk() {
        let Some(hint) = op.attr(UNROLL) else { continue };
        op.remove_attr(UNROLL);
        if !op.is(scf::FOR) {
            op.error(cube_ir::diagnostic!(CUBE0309.no_loop { around: op.name() }));
            return Err(Failed);
        }
        match hint.as_int() {
            None => whole(run, op, &mut created)?,
            Some(1) => {}
            Some(n) if (2..=MAX_FACTOR).contains(&n) => by_factor(run, op, n, &mut created)?,
            Some(n) => {
                op.error(cube_ir::diagnostic!(CUBE0309.factor { n, limit: MAX_FACTOR }));
                return Err(Failed);
            }
        }
    }
    Ok(())
}

fn reserve(op: Op<'_>, times: u64, created: &mut u64) -> PassResult {
    *created = created.saturating_add((op.walk().len() as u64).saturating_mul(times));
    if *created <= MAX_UNROLLED_OPS {
        return Ok(());
    }
    op.error(cube_ir::diagnostic!(CUBE0307.factor { limit: MAX_UNROLLED_OPS }));
    Err(Failed)
}

fn whole<'p>(run: &mut Run<'p>, op: Op<'p>, created: &mut u64) -> PassResult {
    let bounds: Vec<i64> = op.operands().take(3).map_while(int_of).collect();
    let [from, to, step] = bounds[..] else {
        let value = op.operand(bounds.len());
        let notes = blame(value).map(|at| (at.location(), "it depends on this value".to_string()));
        let bound = ["lower bound", "upper bound", "step"][bounds.len()];
        op.error_with_notes(cube_ir::diagnostic!(CUBE0308.unroll { bound }), &notes.into_iter().collect::<Vec<_>>());
        return Err(Failed);
    };
    let bits = op.operand(0).ty().bits().unwrap_or(64);
    let values = counter_values(from, to, step, bits, op.attr("unsignedCmp").is_some());
    reserve(op, values.clone().take(MAX_UNROLLED_OPS as usize).count() as u64, created)?;
    let mut carried: Vec<Val<'p>> = op.operands().skip(3).collect();
    for value in values {
        let counter = Builder::before(op).int(op.operand(0).ty(), value);
        carried = one_iteration(run, op, op, counter, &carried);
    }
    run.replace(op, &carried);
    run.count("loops unrolled", 1);
    Ok(())
}

/// Copies the body of a loop to the position before `place`, and returns the carried values.
fn one_iteration<'p>(
    run: &mut Run<'p>,
    of: Op<'p>,
    anchor: Op<'p>,
    counter: Val<'p>,
    carried: &[Val<'p>],
) -> Vec<Val<'p>> {
    let copy = Builder::before(anchor).insert_copy(of);
    let body = copy.body().expect("a loop has a body");
    body.arg(0).replace_all_uses(counter);
    for (i, value) in carried.iter().enumerate() {
        body.arg(i + 1).replace_all_uses(*value);
    }
    let given: Vec<Val<'p>> = body.terminator().expect("a body ends in scf.yield").operands().collect();
    body.splice_before(copy);
    // The copy is erased. Nothing uses its results.
    run.erase(copy);
    given
}

fn by_factor<'p>(run: &mut Run<'p>, op: Op<'p>, factor: i64, created: &mut u64) -> PassResult {
    if int_of(op.operand(2)) != Some(1) {
        op.remark(format!("is not unrolled by {factor}, because its step is not 1"));
        run.count("loops kept", 1);
        return Ok(());
    }
    // The factor becomes the step, so it must be positive in the counter's type.
    let bits = op.operand(0).ty().bits().unwrap_or(64).clamp(1, 64);
    if factor > i64::MAX >> (64 - bits) {
        op.remark(format!("is not unrolled by {factor}, because a counter of {bits} bits has no step of {factor}"));
        run.count("loops kept", 1);
        return Ok(());
    }
    reserve(op, factor as u64, created)?;
    let b = Builder::before(op);
    let (from, to, ty) = (op.operand(0), op.operand(1), op.operand(0).ty());
    let unsigned = op.attr("unsignedCmp").is_some();
    // The bound is `from + (iterations - iterations % factor)`. This bound is at most `to`, so it does not wrap.
    let less = b.cmpi(if unsigned { IntCmp::Ult } else { IntCmp::Slt }, from, to);
    let iterations = b.select(less, b.subi(to, from), b.int(ty, 0));
    let rest = b.remui(iterations, b.int(ty, factor));
    let middle = b.addi(from, b.subi(iterations, rest));
    let main = b.insert_copy(op);
    main.set_operand(1, middle);
    main.set_operand(2, b.int(ty, factor));
    main.move_before(op);
    let body = main.body().expect("a loop has a body");
    let end = body.terminator().expect("a body ends in scf.yield");
    let mut carried: Vec<Val<'p>> = end.operands().collect();
    for iteration in 1..factor {
        let inside = Builder::before(end);
        let counter = inside.addi(body.arg(0), inside.int(ty, iteration));
        carried = one_iteration(run, op, end, counter, &carried);
    }
    end.set_operands(&carried);
    op.set_operand(0, middle);
    for (i, result) in main.results().enumerate() {
        op.set_operand(i + 3, result);
    }
    run.count("loops unrolled", 1);
    Ok(())
}
