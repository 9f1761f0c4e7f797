//! Rules of lanes, conversions and printing.
use super::Verdict;
use crate::ops;
use cube_ir::{AttrExt, Op, TypeExt};

pub(super) fn lane(op: Op<'_>) -> Verdict {
    let (line, one) = match ops::Insert::of(op) {
        Some(insert) => (insert.line().ty(), insert.value().ty()),
        None => (op.operand(0).ty(), op.result(0).ty()),
    };
    if line.element() == one {
        return Ok(());
    }
    Err(cube_ir::diagnostic!(CUBE0146.lane { one, line, element: line.element() }))
}

pub(super) fn cast(op: Op<'_>) -> Verdict {
    let (from, to) = (op.operand(0).ty(), op.result(0).ty());
    if from.line_size() != to.line_size() || from.is_scalar() != to.is_scalar() {
        return Err(cube_ir::diagnostic!(CUBE0147.lanes { from, to }));
    }
    let refuse = |word: &str, why: &str| Err(cube_ir::diagnostic!(CUBE0148.word { word, why }));
    if op.attr("from_unsigned").is_some() && !from.is_int() {
        return refuse("from_unsigned", &format!("{from} is not an integer"));
    }
    if op.attr("to_unsigned").is_some() && !to.is_int() {
        return refuse("to_unsigned", &format!("{to} is not an integer"));
    }
    if op.attr("rounding").is_some() && !(from.is_fp() && to.is_fp()) {
        return refuse("round", "only conversions from float to float have a rounding mode");
    }
    Ok(())
}

pub(super) fn print(op: Op<'_>) -> Verdict {
    let text = op.attr("text").and_then(|t| t.as_str()).unwrap_or("");
    let (places, values) = (text.matches("{}").count() + text.matches("{:u}").count(), op.operands().len());
    if places == values {
        return Ok(());
    }
    Err(cube_ir::diagnostic!(CUBE0149.values { places, values }))
}
