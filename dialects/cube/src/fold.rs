//! Folders: total integer operations, lanes, conversions to the same type, and sizes that the type gives.
use crate::BufferType;
use cube_ir::OpKind;
use cube_ir::{AttrExt, Attribute, Fold, Op, TypeExt};

pub(crate) fn fold<'p>(op: Op<'p>, constants: &[Option<Attribute<'p>>]) -> Option<Fold<'p>> {
    let name = op.name().strip_prefix("cube.")?;
    let value = |i: usize| constants.get(i).copied().flatten().and_then(|a| a.as_int());
    match name {
        "len" | "buffer_len" => return Some(constant(op, BufferType::of(op.operand(0).ty())?.lines()? as i64)),
        "cast" => return same_type(op),
        "extract" | "insert" => return lane(op, name, value(op.operands().len() - 1)?),
        _ => {}
    }
    let bits = op.result(0).ty().bits().filter(|b| (1..=64).contains(b))?;
    if name == "reverse_bits" {
        let reversed = (value(0)? as u64).reverse_bits() >> (64 - bits);
        return Some(constant(op, extend(reversed, bits)));
    }
    if let (Some(lhs), Some(rhs)) = (value(0), value(1)) {
        return Some(constant(op, total(name, bits, lhs, rhs)?));
    }
    // x / 1 = x, x / 0 = x, x % 1 = 0, x % 0 = 0, x shifted by a multiple of the width = x, x + 0 = x, x - 0 = x
    let rhs = value(1)?;
    match name {
        "divui" | "divsi" if rhs == 0 || rhs == 1 && bits > 1 => Some(Fold::Value(op.operand(0))),
        "remui" | "remsi" if rhs == 0 || rhs == 1 && bits > 1 => Some(constant(op, 0)),
        "shl" | "shrui" | "shrsi" if (rhs as u64).is_multiple_of(u64::from(bits)) && bits.is_power_of_two() => {
            Some(Fold::Value(op.operand(0)))
        }
        "addsi_sat" | "addui_sat" | "subsi_sat" | "subui_sat" if rhs == 0 => Some(Fold::Value(op.operand(0))),
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

// A conversion to the same type changes nothing: also `saturate` keeps what is in range, and infinities are in range of
// no type but themselves.
fn same_type<'p>(op: Op<'p>) -> Option<Fold<'p>> {
    let (from, to) = (op.operand(0), op.result(0).ty());
    let mixed = op.attr("from_unsigned").is_some() != op.attr("to_unsigned").is_some();
    let clamps = op.attr("saturate").is_some() && (mixed || to.is_fp());
    (from.ty() == to && !clamps).then_some(Fold::Value(from))
}

// A constant lane outside the line, or one that was just put there.
fn lane<'p>(op: Op<'p>, name: &str, index: i64) -> Option<Fold<'p>> {
    let at = op.operands().len() - 2;
    let line = op.operand(at);
    let outside = index as u32 as u64 >= line.ty().lanes()?;
    match (name, outside) {
        ("insert", true) => Some(Fold::Value(line)),
        ("extract", true) => Some(zero(op)),
        ("extract", false) => {
            let insert = line.def_of("cube.insert")?;
            (insert.operand(2) == op.operand(1)).then(|| Fold::Value(insert.operand(0)))
        }
        _ => None,
    }
}

fn extend(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

/// What a total operation of the dialect gives for two constants, sign-extended; `None` for other operations.
pub fn total_op(kind: OpKind, bits: u32, lhs: i64, rhs: i64) -> Option<i64> {
    total(kind.name().strip_prefix("cube.")?, bits, lhs, rhs)
}

/// The meaning of a total operation on `bits`-wide integers, given and returned sign-extended.
pub(crate) fn total(name: &str, bits: u32, lhs: i64, rhs: i64) -> Option<i64> {
    let mask = if bits == 64 { u64::MAX } else { (1u64 << bits) - 1 };
    let (ul, ur) = (lhs as u64 & mask, rhs as u64 & mask);
    let extend = |v: u64| extend(v, bits);
    let (sl, sr) = (extend(ul), extend(ur));
    let amount = (ur % u64::from(bits)) as u32;
    let result = match name {
        "divui" => ul.checked_div(ur).unwrap_or(ul),
        "remui" => ul.checked_rem(ur).unwrap_or(0),
        "divsi" => {
            if sr == 0 {
                ul
            } else {
                sl.wrapping_div(sr) as u64
            }
        }
        "remsi" => {
            if sr == 0 {
                0
            } else {
                sl.wrapping_rem(sr) as u64
            }
        }
        "shl" => ul << amount,
        "shrui" => ul >> amount,
        "shrsi" => (sl >> amount) as u64,
        "addui_sat" => ul.saturating_add(ur).min(mask),
        "subui_sat" => ul.saturating_sub(ur),
        "addsi_sat" => clamp(i128::from(sl) + i128::from(sr), bits),
        "subsi_sat" => clamp(i128::from(sl) - i128::from(sr), bits),
        _ => return None,
    };
    Some(extend(result & mask))
}

fn clamp(value: i128, bits: u32) -> u64 {
    let top = (1i128 << (bits - 1)) - 1;
    value.clamp(-top - 1, top) as u64
}
