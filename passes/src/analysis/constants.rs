//! Evaluates integers that depend only on constants, or on constants and values that the caller supplies.
use cube_dialect::int_predicate;
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Op, TypeExt, Val};
use cube_semantics::Meaning;

/// Maximum number of operations that one query visits. A subexpression with several uses counts once per use.
const FUEL: u32 = 512;

/// The number, sign-extended to 64 bits, if `value` is computed only from constants.
pub fn int_of(value: Val<'_>) -> Option<i64> {
    int_with(value, &|_| None)
}

/// Like [`int_of`], but as part of a larger query. Each visited operation decrements `fuel`, and the result is `None`
/// if `fuel` is 0.
pub fn int_within(value: Val<'_>, fuel: &mut u32) -> Option<i64> {
    evaluate(value, &|_| None, fuel)
}

/// The number, sign-extended to 64 bits, if `value` is computed from constants and from results that `known`
/// supplies.
pub fn int_with<'p>(value: Val<'p>, known: &dyn Fn(Op<'p>) -> Option<i64>) -> Option<i64> {
    evaluate(value, known, &mut FUEL.clone())
}

fn evaluate<'p>(value: Val<'p>, known: &dyn Fn(Op<'p>) -> Option<i64>, fuel: &mut u32) -> Option<i64> {
    let op = value.def()?;
    let bits = width(value)?;
    *fuel = fuel.checked_sub(1)?;
    let mut operand = |i: usize| evaluate(op.operand(i), known, fuel);
    if op.is(arith::CONSTANT) {
        return op.attr("value")?.as_int();
    }
    if let Some(constant) = known(op) {
        return Some(constant);
    }
    if op.is(scf::IF) {
        let taken = if operand(0)? != 0 { 0 } else { 1 };
        let number = op.results().position(|result| result == value)?;
        let end = op.regions().nth(taken)?.first_block()?.terminator()?;
        return evaluate(end.operand(number), known, fuel);
    }
    if op.operands().len() == 0 || op.results().len() != 1 || op.regions().len() != 0 {
        return None;
    }
    if op.is(arith::SELECT) {
        let chosen = if operand(0)? != 0 { 1 } else { 2 };
        return operand(chosen);
    }
    let meaning = cube_dialect::meaning_of(op.kind())?;
    let mut values = Vec::with_capacity(op.operands().len());
    for i in 0..op.operands().len() {
        values.push(operand(i)?);
    }
    match meaning {
        Meaning::Int(int) => int.of_signed(bits, &values),
        Meaning::Convert(conversion) => conversion.of_signed(width(op.operand(0))?, bits, *values.first()?),
        Meaning::CompareInts => {
            let holds = int_predicate(op)?.holds(values[0], *values.get(1)?, width(op.operand(0))?);
            Some(-i64::from(holds))
        }
        _ => None,
    }
}

fn width(value: Val<'_>) -> Option<u32> {
    if value.ty().is_index() {
        return Some(64);
    }
    value.ty().bits().filter(|b| (1..=64).contains(b) && value.ty().is_int() && value.ty().is_scalar())
}
