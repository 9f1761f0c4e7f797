//! The rules that simplify indices: entries of the rule families, and two other rules. All numbers in the
//! rules are unsigned.
use super::entries::{self, Facts};
use crate::analysis::affine::Affine;
use crate::analysis::guards::Guards;
use crate::write::topology;
use cube_dialect::{TopologyKind, ops};
use cube_ir::ops::{arith, cube};
use cube_ir::rules::{Rewrite, Rule};
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Op, Run, TypeExt, Val};

// An entry of a family as a rule for the operation at the root of its pattern.
macro_rules! entry {
    ($name:literal, $facts:ident, $on:path) => {{
        fn apply<'p>(op: Op<'p>, b: Builder<'p>, _run: &mut Run<'p>) -> Rewrite<'p> {
            entries::apply($name, Facts::$facts, op, b)
        }
        Rule { name: $name, on: $on, apply }
    }};
}

/// The rules, with the operations to which they apply. The first rule that applies is used. A name with the prefix of a
/// family is an entry of this family. Two rules are not entries, because the positions of units are not terms, and a
/// sum of rows and columns can have any number of terms.
pub(super) const RULES: &[Rule] = &[
    Rule { name: "position", on: arith::ADDI, apply: position },
    Rule { name: "row-and-column", on: arith::ADDI, apply: row_and_column },
    Rule { name: "row-and-column", on: arith::SUBI, apply: row_and_column },
    Rule { name: "row-and-column", on: arith::ORI, apply: row_and_column },
    entry!("division/remu-repeated", All, cube::REMUI),
    entry!("division/remu-repeated", All, arith::REMUI),
    entry!("division/remu-below", All, cube::REMUI),
    entry!("division/remu-below", All, arith::REMUI),
    entry!("division/divu-of-remu", All, cube::DIVUI),
    entry!("division/divu-of-remu", All, arith::DIVUI),
    entry!("division/divu-below", All, cube::DIVUI),
    entry!("division/divu-below", All, arith::DIVUI),
    entry!("index/column", All, cube::REMUI),
    entry!("index/column", All, arith::REMUI),
    entry!("index/row-of-sum", All, cube::DIVUI),
    entry!("index/row-of-sum", All, arith::DIVUI),
    entry!("index/remainder-bound", All, arith::CMPI),
    entry!("index/remainder-reached", All, arith::CMPI),
    // Upstream folds comparisons with ranges. This rule uses only guards, because a folded comparison can no longer
    // prove an access.
    entry!("compare/ult-known", Guards, arith::CMPI),
    entry!("compare/ule-refuted", Guards, arith::CMPI),
];

// cube_pos_a * cube_dim_a + unit_pos_a = absolute_pos_a, by definition. The rule also applies to the linear positions
// of cubes with one dimension.
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
            "the sum equals the dividend only if no divisor is 0",
            "put the sum into an scf.if with the condition arith.cmpi ne, %divisor, %zero",
        );
        return Rewrite::No("for a divisor of 0, the sum is another value that is not a constant");
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
