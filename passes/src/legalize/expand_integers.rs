//! Expands total integer operations to operations of arith. Guards replace operands for which an arith
//! operation is undefined.
//!
//! ```mlir
//! cube.divui x, d    ->  arith.divui x, (d == 0 ? 1 : d)                            x / 1 = x is what x / 0 means
//! cube.remui x, d    ->  arith.remui x, (d == 0 ? 1 : d)                            x % 1 = 0
//! cube.divsi x, d    ->  arith.divsi x, (d == 0 or x == MIN and d == -1 ? 1 : d)    MIN / 1 = MIN
//! cube.shl x, s      ->  arith.shli x, s mod width
//! cube.addui_sat     ->  x + y, or the largest value where that is below x
//! cube.addsi_sat     ->  x + y, or the end of the range on x's side where the sign is that of neither
//! cube.reverse_bits  ->  swaps of neighbours, then of pairs, then of fours, ...
//! cube.dot           ->  the sum of four products of bytes, which shifts extend
//! ```
//!
//! If an operand is constant, its guard is constant too, and canonicalisation removes the guard. Invariant:
//! only total operations that the chip's description lists remain. For example, WGSL defines division and
//! shifts for all operands, shading languages have an operation that reverses bits, and AMD GPUs have saturating sums.
use crate::native::{Native, integer_function};
use cube_ir::OpKind;
use cube_ir::ops::{arith, cube};
use cube_ir::{
    Builder, Op, PassResult, Run, TypeExt, Val, pass,
    rules::{Rewrite, Rule, apply_where},
    upstream::IntCmp,
};

pass! {
    name: "expand-integers",
    summary: "expands total division, remainder, shifts, saturating sums, bit reversal and dot products",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    statistics: ["operations expanded"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "divui", on: cube::DIVUI, apply: |op, b, _| unsigned(op, b, arith::DIVUI) },
    Rule { name: "remui", on: cube::REMUI, apply: |op, b, _| unsigned(op, b, arith::REMUI) },
    Rule { name: "divsi", on: cube::DIVSI, apply: |op, b, _| signed(op, b, arith::DIVSI) },
    Rule { name: "remsi", on: cube::REMSI, apply: |op, b, _| signed(op, b, arith::REMSI) },
    Rule { name: "shl", on: cube::SHL, apply: |op, b, _| shift(op, b, arith::SHLI) },
    Rule { name: "shrui", on: cube::SHRUI, apply: |op, b, _| shift(op, b, arith::SHRUI) },
    Rule { name: "shrsi", on: cube::SHRSI, apply: |op, b, _| shift(op, b, arith::SHRSI) },
    Rule { name: "addui_sat", on: cube::ADDUI_SAT, apply: unsigned_sum },
    Rule { name: "subui_sat", on: cube::SUBUI_SAT, apply: unsigned_difference },
    Rule { name: "addsi_sat", on: cube::ADDSI_SAT, apply: signed_clamped },
    Rule { name: "subsi_sat", on: cube::SUBSI_SAT, apply: signed_clamped },
    Rule { name: "reverse_bits", on: cube::REVERSE_BITS, apply: reverse },
    Rule { name: "dot", on: cube::DOT, apply: dot },
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let native = Native::of(run.root());
    let count = apply_where(run, RULES, |op| !integer_function(op.kind()).is_some_and(|_| native.has(op)));
    run.count("operations expanded", count);
    Ok(())
}

// The only divisors of one bit are 0 and 1 (or -1), and the only shift amount is 0: x / d = x, x % d = 0, x << s = x.
fn one_bit<'p>(op: Op<'p>, b: Builder<'p>, kind: OpKind) -> Option<Rewrite<'p>> {
    (op.result(0).ty().bits() == Some(1)).then(|| match kind {
        arith::REMUI | arith::REMSI => Rewrite::Replace(vec![b.zero(op.result(0).ty())]),
        _ => Rewrite::Replace(vec![op.operand(0)]),
    })
}

// Byte i is the top byte after a shift to the left by 24 - 8i; the shift back spreads its sign.
fn dot<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let ty = op.result(0).ty();
    let byte = |value: Val<'p>, i: i64| b.shrsi(b.shli(value, b.int(ty, 24 - 8 * i)), b.int(ty, 24));
    let products = (0..4).map(|i| b.muli(byte(op.operand(0), i), byte(op.operand(1), i)));
    Rewrite::Replace(products.reduce(|sum, product| b.addi(sum, product)).into_iter().collect())
}

fn unsigned<'p>(op: Op<'p>, b: Builder<'p>, kind: OpKind) -> Rewrite<'p> {
    if let Some(done) = one_bit(op, b, kind) {
        return done;
    }
    let (x, d, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let zero = b.cmpi(IntCmp::Eq, d, b.int(ty, 0));
    let safe = b.select(zero, b.int(ty, 1), d);
    Rewrite::Replace(vec![b.op(kind).operands(&[x, safe]).result(ty).value()])
}

fn signed<'p>(op: Op<'p>, b: Builder<'p>, kind: OpKind) -> Rewrite<'p> {
    if let Some(done) = one_bit(op, b, kind) {
        return done;
    }
    let (x, d, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let bits = ty.bits().unwrap_or(32).min(64);
    let min = b.int(ty, i64::MIN >> (64 - bits));
    let zero = b.cmpi(IntCmp::Eq, d, b.int(ty, 0));
    let overflow = b.andi(b.cmpi(IntCmp::Eq, x, min), b.cmpi(IntCmp::Eq, d, b.int(ty, -1)));
    let safe = b.select(b.ori(zero, overflow), b.int(ty, 1), d);
    Rewrite::Replace(vec![b.op(kind).operands(&[x, safe]).result(ty).value()])
}

fn shift<'p>(op: Op<'p>, b: Builder<'p>, kind: OpKind) -> Rewrite<'p> {
    if let Some(done) = one_bit(op, b, kind) {
        return done;
    }
    let (x, s, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let bits = i64::from(ty.bits().unwrap_or(32));
    let amount: Val<'p> =
        if (bits as u64).is_power_of_two() { b.andi(s, b.int(ty, bits - 1)) } else { b.remui(s, b.int(ty, bits)) };
    Rewrite::Replace(vec![b.op(kind).operands(&[x, amount]).result(ty).value()])
}

fn unsigned_sum<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (x, y, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let sum = b.addi(x, y);
    Rewrite::Replace(vec![b.select(b.cmpi(IntCmp::Ult, sum, x), b.int(ty, -1), sum)])
}

fn unsigned_difference<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (x, y, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    Rewrite::Replace(vec![b.select(b.cmpi(IntCmp::Ult, x, y), b.int(ty, 0), b.subi(x, y))])
}

// A sum overflows if its sign differs from the signs of both operands. A difference overflows if the operands' signs
// differ and its sign differs from the sign of the first operand. On overflow the result is MAX for x >= 0, and MIN
// otherwise.
fn signed_clamped<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (x, y, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let bits = ty.bits().unwrap_or(32).min(64);
    let (value, wrong) = if op.is(cube::ADDSI_SAT) {
        let sum = b.addi(x, y);
        (sum, b.andi(b.xori(x, sum), b.xori(y, sum)))
    } else {
        let difference = b.subi(x, y);
        (difference, b.andi(b.xori(x, y), b.xori(x, difference)))
    };
    let zero = b.int(ty, 0);
    let left = b.cmpi(IntCmp::Slt, wrong, zero);
    // The range of a one-bit integer is -1 to 0.
    let max = b.int(ty, i64::MAX >> (64 - bits));
    let min = b.int(ty, i64::MIN >> (64 - bits));
    let end = b.select(b.cmpi(IntCmp::Slt, x, zero), min, max);
    Rewrite::Replace(vec![b.select(left, end, value)])
}

fn reverse<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (mut x, ty) = (op.operand(0), op.result(0).ty());
    let bits = ty.bits().unwrap_or(32).min(64);
    if !bits.is_power_of_two() {
        // Reverses bit by bit. This code is for widths that are not a power of two, which no front end emits.
        let mut all = b.int(ty, 0);
        for bit in 0..bits {
            let one = b.andi(b.shrui(x, b.int(ty, i64::from(bit))), b.int(ty, 1));
            all = b.ori(all, b.shli(one, b.int(ty, i64::from(bits - 1 - bit))));
        }
        return Rewrite::Replace(vec![all]);
    }
    let mut width = 1;
    while width < bits {
        // The mask of the groups of `width` bits at even positions: 0x5555..., 0x3333..., 0x0f0f..., ...
        let mask = (0..64).filter(|bit| bit % (2 * width) < width).fold(0u64, |mask, bit| mask | 1 << bit);
        let mask = b.int(ty, ((mask << (64 - bits)) as i64) >> (64 - bits));
        let by = b.int(ty, i64::from(width));
        let up = b.shli(b.andi(x, mask), by);
        let down = b.andi(b.shrui(x, by), mask);
        x = b.ori(up, down);
        width *= 2;
    }
    Rewrite::Replace(vec![x])
}
