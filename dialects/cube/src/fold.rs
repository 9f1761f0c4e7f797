//! Folders of the total integer operations: constants, and the identities that hold for every operand.
use cube_bridge::CubeFold;
use cube_ir::{AttrExt, Attribute, AttributeLike, Op, TypeExt, Val, guarded};
use mlir_sys::{MlirAttribute, MlirOperation, MlirValue};
use std::ptr::null;

enum Fold<'p> {
    Constant(i64),
    Value(Val<'p>),
}

pub(crate) unsafe extern "C" fn fold_callback(
    raw: MlirOperation,
    count: isize,
    operands: *const MlirAttribute,
) -> CubeFold {
    let none = CubeFold { kind: 0, attribute: MlirAttribute { ptr: null() }, value: MlirValue { ptr: null() } };
    // SAFETY: MLIR hands in a live operation and `count` attributes, null where an operand is no constant.
    let (op, constants) = unsafe {
        let raws = std::slice::from_raw_parts(operands, count as usize);
        let read = |a: &MlirAttribute| (!a.ptr.is_null()).then(|| Attribute::from_raw(*a));
        (Op::from_raw(raw), raws.iter().map(read).collect::<Vec<_>>())
    };
    match guarded(|| fold(op, &constants)) {
        Ok(Some(Fold::Constant(value))) => {
            CubeFold { kind: 1, attribute: op.cx().int_attr(op.result(0).ty(), value).to_raw(), ..none }
        }
        Ok(Some(Fold::Value(value))) => CubeFold { kind: 2, value: value.to_raw(), ..none },
        _ => none,
    }
}

fn fold<'p>(op: Op<'p>, constants: &[Option<Attribute<'p>>]) -> Option<Fold<'p>> {
    let bits = op.result(0).ty().bits().filter(|b| (1..=64).contains(b))?;
    let value = |i: usize| constants.get(i).copied().flatten().and_then(|a| a.as_int());
    let name = op.name().strip_prefix("cube.")?;
    if let (Some(lhs), Some(rhs)) = (value(0), value(1)) {
        return Some(Fold::Constant(total(name, bits, lhs, rhs)?));
    }
    // x / 1 = x, x / 0 = x, x % 1 = 0, x % 0 = 0, x shifted by a multiple of the width = x
    let rhs = value(1)?;
    match name {
        "divui" | "divsi" if rhs == 0 || rhs == 1 && bits > 1 => Some(Fold::Value(op.operand(0))),
        "remui" | "remsi" if rhs == 0 || rhs == 1 && bits > 1 => Some(Fold::Constant(0)),
        "shl" | "shrui" | "shrsi" if (rhs as u64).is_multiple_of(u64::from(bits)) && bits.is_power_of_two() => {
            Some(Fold::Value(op.operand(0)))
        }
        _ => None,
    }
}

/// The meaning of a total operation on `bits`-wide integers, given and returned sign-extended.
pub(crate) fn total(name: &str, bits: u32, lhs: i64, rhs: i64) -> Option<i64> {
    let mask = if bits == 64 { u64::MAX } else { (1u64 << bits) - 1 };
    let (ul, ur) = (lhs as u64 & mask, rhs as u64 & mask);
    let extend = |v: u64| ((v << (64 - bits)) as i64) >> (64 - bits);
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
        _ => return None,
    };
    Some(extend(result & mask))
}
