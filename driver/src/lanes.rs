//! Checks that constant lane indices of the source are within the line.
//!
//! `cube.extract` and `cube.insert` have a result for every index, because passes fold unreachable code. A constant
//! index out of bounds in the source is nevertheless an error, because it is a mistake of the author. The driver checks
//! constant indices before a pass creates further constants.
use cube_ir::ops::{arith, cube, vector};
use cube_ir::{AttrExt, DYNAMIC, Dialect, Op, OwnedModule, SessionError, TypeExt, Val};

/// The line operand of a single-lane operation; `None` for other operations.
fn line<'p>(op: Op<'p>) -> Option<Val<'p>> {
    match op.kind() {
        cube::EXTRACT | vector::EXTRACT => Some(op.operand(0)),
        cube::INSERT | vector::INSERT => Some(op.operand(1)),
        _ => None,
    }
}

/// The lane index of the operation: its static position, or its last operand if the operand is a constant.
fn index(op: Op<'_>) -> Option<i64> {
    let of_dialect = op.is_of(Dialect::Cube);
    if !of_dialect
        && let [at] = op.attr("static_position")?.as_i64_array()?[..]
        && at != DYNAMIC
    {
        return Some(at);
    }
    let constant = op.operands().last()?.def_of(arith::CONSTANT)?;
    let value = constant.attr("value")?.as_int()?;
    // Indices of the dialect are unsigned.
    Some(if of_dialect { i64::from(value as u32) } else { value })
}

/// Refuses the first constant lane index that is outside of its line.
pub(crate) fn check(module: &OwnedModule<'_>) -> Result<(), SessionError> {
    for op in module.op().walk() {
        let Some(line) = line(op) else { continue };
        let (Some(lanes), Some(at)) = (line.ty().lanes(), index(op)) else { continue };
        if u64::try_from(at).is_ok_and(|at| at < lanes) {
            continue;
        }
        let message = cube_ir::diagnostic!(CUBE0146.index { lane: at, ty: line.ty(), last: lanes - 1 });
        return Err(SessionError::at(op, message));
    }
    Ok(())
}
