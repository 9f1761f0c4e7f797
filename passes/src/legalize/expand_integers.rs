//! Writes total integer operations out with arith's partial ones and the guards that make them total.
//!
//! ```mlir
//! cube.divui x, d    ->  arith.divui x, (d == 0 ? 1 : d)                            x / 1 = x is what x / 0 means
//! cube.remui x, d    ->  arith.remui x, (d == 0 ? 1 : d)                            x % 1 = 0
//! cube.divsi x, d    ->  arith.divsi x, (d == 0 or x == MIN and d == -1 ? 1 : d)    MIN / 1 = MIN
//! cube.shl x, s      ->  arith.shli x, s mod width
//! ```
//!
//! Constant operands make the guards constant; canonicalisation removes them. Invariant: no total operation is left.
use cube_ir::{
    Builder, Op, PassResult, Run, TypeExt, Val, pass,
    rules::{Rewrite, Rule, apply_once},
    upstream::IntCmp,
};

pass! {
    name: "expand-integers",
    summary: "writes total division, remainder and shifts out with guards",
    on: "cube.kernel",
    level: Flat => Flat,
    dialects: ["arith"],
    statistics: ["operations expanded"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "divui", on: "cube.divui", apply: |op, b| unsigned(op, b, "arith.divui") },
    Rule { name: "remui", on: "cube.remui", apply: |op, b| unsigned(op, b, "arith.remui") },
    Rule { name: "divsi", on: "cube.divsi", apply: |op, b| signed(op, b, "arith.divsi") },
    Rule { name: "remsi", on: "cube.remsi", apply: |op, b| signed(op, b, "arith.remsi") },
    Rule { name: "shl", on: "cube.shl", apply: |op, b| shift(op, b, "arith.shli") },
    Rule { name: "shrui", on: "cube.shrui", apply: |op, b| shift(op, b, "arith.shrui") },
    Rule { name: "shrsi", on: "cube.shrsi", apply: |op, b| shift(op, b, "arith.shrsi") },
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let count = apply_once(run, RULES);
    run.count("operations expanded", count);
    Ok(())
}

// A one-bit integer has only the divisors 0 and itself, and no bit to shift by: x / d = x, x % d = 0, x << s = x.
fn one_bit<'p>(op: Op<'p>, b: Builder<'p>, name: &str) -> Option<Rewrite<'p>> {
    (op.result(0).ty().bits() == Some(1)).then(|| match name {
        "arith.remui" | "arith.remsi" => Rewrite::Replace(vec![b.zero(op.result(0).ty())]),
        _ => Rewrite::Replace(vec![op.operand(0)]),
    })
}

fn unsigned<'p>(op: Op<'p>, b: Builder<'p>, name: &str) -> Rewrite<'p> {
    if let Some(done) = one_bit(op, b, name) {
        return done;
    }
    let (x, d, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let zero = b.cmpi(IntCmp::Eq, d, b.int(ty, 0));
    let safe = b.select(zero, b.int(ty, 1), d);
    Rewrite::Replace(vec![b.op(name).operands(&[x, safe]).result(ty).value()])
}

fn signed<'p>(op: Op<'p>, b: Builder<'p>, name: &str) -> Rewrite<'p> {
    if let Some(done) = one_bit(op, b, name) {
        return done;
    }
    let (x, d, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let bits = ty.bits().unwrap_or(32).min(64);
    let min = b.int(ty, i64::MIN >> (64 - bits));
    let zero = b.cmpi(IntCmp::Eq, d, b.int(ty, 0));
    let overflow = b.andi(b.cmpi(IntCmp::Eq, x, min), b.cmpi(IntCmp::Eq, d, b.int(ty, -1)));
    let safe = b.select(b.ori(zero, overflow), b.int(ty, 1), d);
    Rewrite::Replace(vec![b.op(name).operands(&[x, safe]).result(ty).value()])
}

fn shift<'p>(op: Op<'p>, b: Builder<'p>, name: &str) -> Rewrite<'p> {
    if let Some(done) = one_bit(op, b, name) {
        return done;
    }
    let (x, s, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let bits = i64::from(ty.bits().unwrap_or(32));
    let amount: Val<'p> =
        if (bits as u64).is_power_of_two() { b.andi(s, b.int(ty, bits - 1)) } else { b.remui(s, b.int(ty, bits)) };
    Rewrite::Replace(vec![b.op(name).operands(&[x, amount]).result(ty).value()])
}
