//! The rules that simplify indices, each with its formula, guard and replacement. All numbers in the rules
//! are unsigned.
use crate::analysis::affine::Affine;
use crate::analysis::guards::{Guards, unsigned};
use crate::analysis::ranges;
use crate::write::topology;
use cube_dialect::{TopologyKind, ops};
use cube_ir::ops::{arith, cube};
use cube_ir::rules::{Rewrite, Rule};
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Op, Run, TypeExt, Val};

/// The rules, with the operations to which they apply. The first rule that applies is used.
pub(super) const RULES: &[Rule] = &[
    Rule { name: "position", on: arith::ADDI, apply: position },
    Rule { name: "row-and-column", on: arith::ADDI, apply: row_and_column },
    Rule { name: "row-and-column", on: arith::SUBI, apply: row_and_column },
    Rule { name: "row-and-column", on: arith::ORI, apply: row_and_column },
    Rule { name: "remainder-below", on: cube::REMUI, apply: remainder_below },
    Rule { name: "remainder-below", on: arith::REMUI, apply: remainder_below },
    Rule { name: "quotient-below", on: cube::DIVUI, apply: quotient_below },
    Rule { name: "quotient-below", on: arith::DIVUI, apply: quotient_below },
    Rule { name: "column-of-sum", on: cube::REMUI, apply: column_of_sum },
    Rule { name: "column-of-sum", on: arith::REMUI, apply: column_of_sum },
    Rule { name: "row-of-sum", on: cube::DIVUI, apply: row_of_sum },
    Rule { name: "row-of-sum", on: arith::DIVUI, apply: row_of_sum },
    Rule { name: "column-compare", on: arith::CMPI, apply: column_compare },
    Rule { name: "guarded-compare", on: arith::CMPI, apply: guarded_compare },
];

// cube_pos_a * cube_dim_a + unit_pos_a = absolute_pos_a, by definition. Cubes of one dimension have the same rule
// without axes.
fn position<'p>(op: Op<'p>, b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    if op.result(0).ty().bits() != Some(32) {
        return Rewrite::No("the sum does not have the type of a position");
    }
    let Some(kernel) = op.ancestors().find_map(ops::Kernel::of) else {
        return Rewrite::No("the operation is outside a kernel");
    };
    let factors = Affine::of(op.result(0)).filter(|form| form.nonzero().is_empty()).and_then(|form| form.factors());
    let Some([one, other]) = factors.and_then(|all| <[_; 2]>::try_from(all).ok()) else {
        return Rewrite::No("the sum does not have exactly two terms");
    };
    let kind = |value: Val<'p>| value.def().and_then(ops::Topology::of).map(|op| op.kind());
    let dim = kernel.facts().cube_dim.map(u64::from);
    let flat = dim[1] == 1 && dim[2] == 1;
    use TopologyKind as T;
    let found = [(one, other), (other, one)].into_iter().find_map(|(cube, unit)| {
        let (whole, units) = match (kind(cube.0)?, kind(unit.0)?) {
            (T::CubePosX, T::UnitPosX) => (T::AbsolutePosX, dim[0]),
            (T::CubePosY, T::UnitPosY) => (T::AbsolutePosY, dim[1]),
            (T::CubePosZ, T::UnitPosZ) => (T::AbsolutePosZ, dim[2]),
            (T::CubePos, T::UnitPos | T::UnitPosX) if flat => (T::AbsolutePos, dim[0]),
            (T::CubePosX, T::UnitPos) if flat => (T::AbsolutePosX, dim[0]),
            _ => return None,
        };
        (unit.1 == 1 && cube.1 == units).then_some(whole)
    });
    let (Some(kind), Some(first)) = (found, kernel.block().and_then(|block| block.first())) else {
        return Rewrite::No("the values are not the positions of a cube and of a unit in it");
    };
    Rewrite::Replace(vec![topology(Builder::before(first).with_location(b.location()), kind)])
}

// (x / w) * w + x % w = x for w != 0, otherwise 0. The rule covers all sums whose form (analysis/affine.rs) is one
// value.
fn row_and_column<'p>(op: Op<'p>, b: Builder<'p>, run: &mut Run<'p>) -> Rewrite<'p> {
    let sum = op.result(0);
    let Some(form) = Affine::of(sum) else { return Rewrite::No("the sum is not of scalars, or has many terms") };
    let Some(value) = form.single().filter(|value| *value != sum) else {
        return Rewrite::No("the sum is not one value");
    };
    let (own, other) = (sum.ty().bits().unwrap_or(0), value.ty().bits().unwrap_or(0));
    if own > other {
        return Rewrite::No("the value has fewer bits");
    }
    let guards = Guards::at(op);
    let unguarded_divisors: Vec<Val<'p>> =
        form.nonzero().iter().copied().filter(|divisor| !guards.is_nonzero(*divisor)).collect();
    let Some(cases) = constants_for_zero_divisors(sum, &unguarded_divisors) else {
        run.count("expressions kept", 1);
        run.missed(
            op,
            "zero-divisor",
            "the sum is the value that was divided, but only where no divisor is 0",
            "put it into scf.if of arith.cmpi ne, %divisor, %zero",
        );
        return Rewrite::No("a divisor of 0 gives another value that is not a constant");
    };
    let value = if own < other { b.cast(arith::TRUNCI, value, sum.ty()) } else { value };
    Rewrite::Replace(vec![cases.into_iter().fold(value, |value, (divisor, otherwise)| {
        let some = b.cmpi(IntCmp::Ne, divisor, b.int(divisor.ty(), 0));
        b.select(some, value, b.int(sum.ty(), otherwise as i64))
    })])
}

// For each divisor, the value of the sum if the divisor is 0. The last divisor is tested first.
fn constants_for_zero_divisors<'p>(sum: Val<'p>, unguarded_divisors: &[Val<'p>]) -> Option<Vec<(Val<'p>, u64)>> {
    let (mut left, mut cases) = (unguarded_divisors.to_vec(), vec![]);
    while !left.is_empty() {
        // Earlier cases already exclude that the other divisors are 0.
        let found = left.iter().enumerate().find_map(|(n, divisor)| {
            let form = Affine::where_zero(sum, *divisor)?;
            form.nonzero().iter().all(|other| !left.contains(other)).then_some((n, form.number()?))
        });
        let (n, otherwise) = found?;
        cases.push((left.remove(n), otherwise));
    }
    cases.reverse();
    Some(cases)
}

fn is_remainder_by<'p>(x: Val<'p>, n: Val<'p>) -> bool {
    let remainder = x.def().filter(|op| op.is(cube::REMUI) || op.is(arith::REMUI));
    remainder.is_some_and(|op| op.operand(1) == n)
}

// Whether `x` is below `n` at `op`, by a guard or by a range.
fn is_below<'p>(op: Op<'p>, x: Val<'p>, n: Val<'p>) -> bool {
    let in_range = || x.ty().bits() == Some(32) && unsigned(n).is_some_and(|n| ranges::largest(x) < n);
    Guards::at(op).is_less(x, n) || in_range()
}

// x % n = x for x < n; (y % n) % n = y % n, also for n = 0
fn remainder_below<'p>(op: Op<'p>, _b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    let (x, n) = (op.operand(0), op.operand(1));
    if is_remainder_by(x, n) || is_below(op, x, n) {
        return Rewrite::Replace(vec![x]);
    }
    Rewrite::No("the number is not provably below the divisor")
}

// x / n = 0 for x < n; (y % n) / n = 0, also for n = 0
fn quotient_below<'p>(op: Op<'p>, b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    let (x, n) = (op.operand(0), op.operand(1));
    if x.ty().is_scalar() && (is_remainder_by(x, n) || is_below(op, x, n)) {
        return Rewrite::Replace(vec![b.int(x.ty(), 0)]);
    }
    Rewrite::No("the number is not provably below the divisor")
}

// Row and column of `row * w + column`, if `w` is a constant, the column is below `w`, and the sum does not wrap.
fn row_and_column_of<'p>(op: Op<'p>) -> Option<(Val<'p>, Val<'p>)> {
    let sum = op.operand(0).def_of(arith::ADDI).filter(|sum| sum.result(0).ty().bits() == Some(32))?;
    let width = unsigned(op.operand(1)).filter(|width| *width > 0)?;
    [(0, 1), (1, 0)].into_iter().find_map(|(product, column)| {
        let (product, column) = (sum.operand(product).def_of(arith::MULI)?, sum.operand(column));
        let factor = (0..2).find(|n| unsigned(product.operand(*n)) == Some(width))?;
        let row = product.operand(1 - factor);
        let (rows, columns) = (u128::from(ranges::largest(row)), ranges::largest(column));
        let fits = rows * u128::from(width) + u128::from(columns) <= u128::from(u32::MAX);
        (columns < width && fits).then_some((row, column))
    })
}

// (row * w + column) % w = column for column < w and a sum below 2^32
fn column_of_sum<'p>(op: Op<'p>, _b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    match row_and_column_of(op) {
        Some((_, column)) => Rewrite::Replace(vec![column]),
        None => Rewrite::No("the number is not a row times a known divisor and a column below it"),
    }
}

// (row * w + column) / w = row for column < w and a sum below 2^32
fn row_of_sum<'p>(op: Op<'p>, _b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    match row_and_column_of(op) {
        Some((row, _)) => Rewrite::Replace(vec![row]),
        None => Rewrite::No("the number is not a row times a known divisor and a column below it"),
    }
}

// The operands of a comparison `x < n`, and whether the operation tests this or the opposite. A comparison with the
// length of a buffer is kept, because it proves accesses.
fn compared<'p>(op: Op<'p>) -> Option<(Val<'p>, Val<'p>, bool)> {
    let (x, y) = (op.operand(0), op.operand(1));
    let (x, n, less) = match arith::Cmpi::of(op)?.predicate()? {
        IntCmp::Ult => (x, y, true),
        IntCmp::Ugt => (y, x, true),
        IntCmp::Uge => (x, y, false),
        IntCmp::Ule => (y, x, false),
        _ => return None,
    };
    let is_length = n.def().is_some_and(|op| op.is(ops::Len::KIND) || op.is(ops::BufferLen::KIND));
    (x.ty().is_scalar() && !is_length).then_some((x, n, less))
}

// x % n < n = (n != 0)
fn column_compare<'p>(op: Op<'p>, b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    let Some((x, n, less)) = compared(op).filter(|(x, n, _)| is_remainder_by(*x, *n)) else {
        return Rewrite::No("a remainder is not compared with its divisor");
    };
    let predicate = if less { IntCmp::Ne } else { IntCmp::Eq };
    Rewrite::Replace(vec![b.cmpi(predicate, n, b.int(x.ty(), 0))])
}

// x < n is true if a guard implies it. Upstream handles ranges.
fn guarded_compare<'p>(op: Op<'p>, b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
    match compared(op) {
        Some((x, n, less)) if Guards::at(op).is_less(x, n) => {
            Rewrite::Replace(vec![b.int(op.result(0).ty(), i64::from(less))])
        }
        _ => Rewrite::No("the result of the comparison is not known"),
    }
}
