//! Integers that are known at compile time, also before anything was folded, or once a few values they are made of are.
use cube_ir::ops::{arith, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{AttrExt, Op, TypeExt, Val};

/// Operations that are looked at for one answer; shared subexpressions count each time.
const FUEL: u32 = 512;

/// The value, sign-extended to 64 bits, if it is made of constants alone.
pub fn int_of(value: Val<'_>) -> Option<i64> {
    int_with(value, &|_| None)
}

/// The value, sign-extended to 64 bits, if it is made of constants and of results that `known` tells.
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
    if let Some(told) = known(op) {
        return Some(told);
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
    if op.operands().len() == 1 {
        let from = width(op.operand(0))?;
        let inner = operand(0)?;
        return match op.kind() {
            arith::EXTSI | arith::INDEX_CAST | arith::TRUNCI => Some(extend(inner, bits)),
            arith::EXTUI | arith::INDEX_CASTUI => Some(extend(zero_extend(inner, from), bits)),
            _ => None,
        };
    }
    let (lhs, rhs) = (operand(0)?, operand(1)?);
    if op.is(arith::CMPI) {
        return compare(op, lhs, rhs, width(op.operand(0))?).map(|yes| extend(i64::from(yes), 1));
    }
    if let Some(total) = cube_dialect::total_op(op.kind(), bits, lhs, rhs) {
        return Some(total);
    }
    let (ul, ur) = (zero_extend(lhs, bits), zero_extend(rhs, bits));
    let result = match op.kind() {
        arith::ADDI => lhs.wrapping_add(rhs),
        arith::SUBI => lhs.wrapping_sub(rhs),
        arith::MULI => lhs.wrapping_mul(rhs),
        arith::ANDI => lhs & rhs,
        arith::ORI => lhs | rhs,
        arith::XORI => lhs ^ rhs,
        arith::MINSI => lhs.min(rhs),
        arith::MAXSI => lhs.max(rhs),
        arith::MINUI => (ul as u64).min(ur as u64) as i64,
        arith::MAXUI => (ul as u64).max(ur as u64) as i64,
        _ => return None,
    };
    Some(extend(result, bits))
}

fn width(value: Val<'_>) -> Option<u32> {
    if value.ty().to_string() == "index" {
        return Some(64);
    }
    value.ty().bits().filter(|b| (1..=64).contains(b) && value.ty().is_int() && value.ty().lanes().is_none())
}

fn extend(value: i64, bits: u32) -> i64 {
    (value << (64 - bits)) >> (64 - bits)
}

fn zero_extend(value: i64, bits: u32) -> i64 {
    ((value as u64) << (64 - bits) >> (64 - bits)) as i64
}

fn compare(op: Op<'_>, lhs: i64, rhs: i64, bits: u32) -> Option<bool> {
    let (ul, ur) = (zero_extend(lhs, bits) as u64, zero_extend(rhs, bits) as u64);
    Some(match IntCmp::of(op.attr("predicate"))? {
        IntCmp::Eq => lhs == rhs,
        IntCmp::Ne => lhs != rhs,
        IntCmp::Slt => lhs < rhs,
        IntCmp::Sle => lhs <= rhs,
        IntCmp::Sgt => lhs > rhs,
        IntCmp::Sge => lhs >= rhs,
        IntCmp::Ult => ul < ur,
        IntCmp::Ule => ul <= ur,
        IntCmp::Ugt => ul > ur,
        IntCmp::Uge => ul >= ur,
    })
}
