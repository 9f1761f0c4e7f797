//! CPU: `minnumf` and `maxnumf` become comparisons that order -0 below 0 and prefer a number to a NaN. The result does
//! not depend on the order of the operands.
//!
//! ```mlir
//! %m = arith.minnumf %a, %b    ->    %z = %a == %b ? (%a | %b) : %a    // -0 if one of two zeros is -0
//!                                    %l = %b < %z ? %b : %z            // one instruction; %z if %b is a NaN
//!                                    %m = %a is a NaN ? %b : %l
//! arith.maxnumf %a, 0.0        ->    %a > 0.0 ? %a : 0.0               // one instruction
//! ```
//!
//! For two zeros of different sign, LLVM's `minnum` and `maxnum` can return either zero. x86 has no instruction that
//! orders zeros. LLVM also narrows an f32 operation whose result is converted to f16, and then calls a library
//! function. For a reduction of a vector, the pass compares the two halves of the vector until one lane remains. The
//! pass also expands a reduction by `minimumf` or `maximumf`, which LLVM does not support on the CPU. Numbers that
//! compare equal have the same bits, except for zeros. Therefore `|` and `&` of two equal numbers change only zeros.
//! The pass runs before `promote-half-arithmetic`, which then only widens the operands of comparisons and need not
//! round results. Cost: six instructions, or one instruction if an operand is a constant; LLVM's `minnum` costs three.
use cube_ir::ops::vector::CombiningKind;
use cube_ir::ops::{arith, vector};
use cube_ir::{AttrExt, Builder, Op, PassResult, Run, TypeExt, Val, pass, upstream::FloatCmp};

pass! {
    name: "order-signed-zeros",
    summary: "expands minnumf and maxnumf so that -0 is below +0 (CPU)",
    on: cube::KERNEL,
    level: Legal | Mixed => Any,
    dialects: ["arith", "vector"],
    statistics: ["operations written out"],
    run: run,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extremum {
    Minimum,
    Maximum,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let b = run.before(op);
        let value = match op.kind() {
            arith::MINNUMF => Some(of_two(b, Extremum::Minimum, op.operand(0), op.operand(1))),
            arith::MAXNUMF => Some(of_two(b, Extremum::Maximum, op.operand(0), op.operand(1))),
            vector::REDUCTION => reduction(b, op),
            _ => None,
        };
        if let Some(value) = value {
            run.replace(op, &[value]);
            run.count("operations written out", 1);
        }
    }
    Ok(())
}

fn of_two<'p>(b: Builder<'p>, which: Extremum, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
    match (constant(lhs), constant(rhs)) {
        (_, Some(known)) => with_constant(b, which, lhs, rhs, known),
        (Some(known), _) => with_constant(b, which, rhs, lhs, known),
        _ => of_unknown(b, which, lhs, rhs),
    }
}

fn constant(value: Val<'_>) -> Option<f64> {
    value.def_of(arith::CONSTANT)?.attr("value")?.as_float()
}

// A comparison with a NaN is false, so the constant is selected if the value is NaN. If both are zeros, the order of
// the zeros determines the result.
fn with_constant<'p>(b: Builder<'p>, which: Extremum, value: Val<'p>, constant: Val<'p>, known: f64) -> Val<'p> {
    if known.is_nan() {
        return value;
    }
    let comes_last = known == 0.0 && known.is_sign_negative() == (which == Extremum::Maximum);
    let predicate = match (which, comes_last) {
        (Extremum::Minimum, false) => FloatCmp::Olt,
        (Extremum::Minimum, true) => FloatCmp::Ole,
        (Extremum::Maximum, false) => FloatCmp::Ogt,
        (Extremum::Maximum, true) => FloatCmp::Oge,
    };
    b.select(b.cmpf(predicate, value, constant), value, constant)
}

fn of_unknown<'p>(b: Builder<'p>, which: Extremum, lhs: Val<'p>, rhs: Val<'p>) -> Val<'p> {
    let ty = lhs.ty();
    let int = ty.with_element(b.cx().int(ty.bits().unwrap_or(32)));
    let (x, y) = (b.cast(arith::BITCAST, lhs, int), b.cast(arith::BITCAST, rhs, int));
    let (both, first) = match which {
        Extremum::Minimum => (b.ori(x, y), FloatCmp::Olt),
        Extremum::Maximum => (b.andi(x, y), FloatCmp::Ogt),
    };
    let equal = b.cmpf(FloatCmp::Oeq, lhs, rhs);
    let ordered = b.select(equal, b.cast(arith::BITCAST, both, ty), lhs);
    let number = b.select(b.cmpf(first, rhs, ordered), rhs, ordered);
    b.select(b.cmpf(FloatCmp::Uno, lhs, lhs), rhs, number)
}

fn reduction<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let kind = vector::Reduction::of(op)?.kind()?;
    let two = |x: Val<'p>, y: Val<'p>| match kind {
        CombiningKind::Minnumf => Some(of_unknown(b, Extremum::Minimum, x, y)),
        CombiningKind::Maxnumf => Some(of_unknown(b, Extremum::Maximum, x, y)),
        CombiningKind::Minimumf => Some(b.op(arith::MINIMUMF).operands(&[x, y]).result(x.ty()).value()),
        CombiningKind::Maximumf => Some(b.op(arith::MAXIMUMF).operands(&[x, y]).result(x.ty()).value()),
        _ => None,
    };
    let mut all = op.operand(0);
    let mut lanes = all.ty().lanes()?;
    let mut ends: Vec<Val<'p>> = op.operands().skip(1).collect();
    while lanes > 1 {
        if lanes % 2 == 1 {
            ends.push(b.lane(all, lanes - 1));
        }
        lanes /= 2;
        all = two(part(b, all, 0, lanes), part(b, all, lanes, lanes))?;
    }
    ends.into_iter().try_fold(b.lane(all, 0), two)
}

fn part<'p>(b: Builder<'p>, vector: Val<'p>, from: u64, size: u64) -> Val<'p> {
    let numbers: Vec<i64> = (from..from + size).map(|n| n as i64).collect();
    let ty = b.cx().vector(size, vector.ty().element());
    b.op(vector::SHUFFLE).operands(&[vector, vector]).attr("mask", b.cx().i64_array(&numbers)).result(ty).value()
}
