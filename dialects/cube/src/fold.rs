//! Folders of total integer operations, of lane operations, of conversions to the same type, and of sizes
//! that a type determines.
use crate::{BufferType, ops};
use cube_ir::ops::cube;
use cube_ir::{AttrExt, Attribute, Fold, Op, TypeExt};
use cube_semantics::{IntOp, Meaning};

pub(crate) fn fold<'p>(op: Op<'p>, constants: &[Option<Attribute<'p>>]) -> Option<Fold<'p>> {
    let value = |i: usize| constants.get(i).copied().flatten().and_then(|a| a.as_int());
    match op.kind() {
        cube::LEN | cube::BUFFER_LEN => return Some(constant(op, BufferType::of(op.operand(0).ty())?.lines()? as i64)),
        cube::CAST => return same_type(op),
        cube::EXTRACT | cube::INSERT => return lane(op, value(op.operands().len() - 1)?),
        _ => {}
    }
    let Some(Meaning::Int(int)) = crate::meaning_of(op.kind()) else { return None };
    let bits = op.result(0).ty().bits().filter(|b| (1..=64).contains(b))?;
    if let Some(values) = (0..op.operands().len()).map(value).collect::<Option<Vec<i64>>>() {
        return int.of_signed(bits, &values).map(|result| constant(op, result));
    }
    // x / 1 = x, x / 0 = x, x % 1 = 0, x % 0 = 0, x shifted by a multiple of the width = x, x + 0 = x, x - 0 = x
    let rhs = value(1)?;
    use IntOp as I;
    match int {
        I::TotalDivU | I::TotalDivS if rhs == 0 || rhs == 1 && bits > 1 => Some(Fold::Value(op.operand(0))),
        I::TotalRemU | I::TotalRemS if rhs == 0 || rhs == 1 && bits > 1 => Some(constant(op, 0)),
        I::TotalShl | I::TotalShrU | I::TotalShrS
            if (rhs as u64).is_multiple_of(u64::from(bits)) && bits.is_power_of_two() =>
        {
            Some(Fold::Value(op.operand(0)))
        }
        I::AddSatS | I::AddSatU | I::SubSatS | I::SubSatU if rhs == 0 => Some(Fold::Value(op.operand(0))),
        _ => None,
    }
}

fn constant<'p>(op: Op<'p>, value: i64) -> Fold<'p> {
    Fold::Attr(op.cx().int_attr(op.result(0).ty(), value))
}

fn zero<'p>(op: Op<'p>) -> Fold<'p> {
    let ty = op.result(0).ty();
    Fold::Attr(if ty.is_fp() { op.cx().float_attr(ty, 0.0) } else { op.cx().int_attr(ty, 0) })
}

// A conversion to the same type is the identity, with two exceptions. With `saturate`, the conversion can clamp a
// float, or an integer whose signedness changes. A conversion to a type with unused bits (tf32) clears these bits.
fn same_type<'p>(op: Op<'p>) -> Option<Fold<'p>> {
    let (from, to) = (op.operand(0), op.result(0).ty());
    let mixed = op.attr("from_unsigned").is_some() != op.attr("to_unsigned").is_some();
    let clamps = op.attr("saturate").is_some() && (mixed || to.is_fp());
    let format = crate::element_of(to).and_then(cube_target::Element::format);
    let clears = format.is_some_and(|format| format.unused > 0);
    (from.ty() == to && !clamps && !clears).then_some(Fold::Value(from))
}

// An extract of a constant lane outside the line, or of a lane that was just inserted.
fn lane<'p>(op: Op<'p>, index: i64) -> Option<Fold<'p>> {
    let at = op.operands().len() - 2;
    let line = op.operand(at);
    let outside = index as u32 as u64 >= line.ty().lanes()?;
    match (op.kind(), outside) {
        (cube::INSERT, true) => Some(Fold::Value(line)),
        (cube::EXTRACT, true) => Some(zero(op)),
        (cube::EXTRACT, false) => {
            let insert = line.def_of(ops::Insert::KIND)?;
            (insert.operand(2) == op.operand(1)).then(|| Fold::Value(insert.operand(0)))
        }
        _ => None,
    }
}
