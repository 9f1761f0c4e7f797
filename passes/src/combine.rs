//! The combining operations of atomics, plane reductions and scans.
use cube_dialect::Combine;
use cube_ir::ops::arith;
use cube_ir::{Builder, OpKind, Type, TypeExt, Val};

/// The `arith` operation that combines two values; `None` for the exchange.
fn operation(kind: Combine) -> Option<OpKind> {
    Some(match kind {
        Combine::Exchange => return None,
        Combine::AddI => arith::ADDI,
        Combine::AddF => arith::ADDF,
        Combine::SubI => arith::SUBI,
        Combine::SubF => arith::SUBF,
        Combine::MulI => arith::MULI,
        Combine::MulF => arith::MULF,
        Combine::MinSI => arith::MINSI,
        Combine::MinUI => arith::MINUI,
        // If one operand is a NaN, the other operand is the result.
        Combine::MinF => arith::MINNUMF,
        Combine::MaxSI => arith::MAXSI,
        Combine::MaxUI => arith::MAXUI,
        Combine::MaxF => arith::MAXNUMF,
        Combine::AndI => arith::ANDI,
        Combine::OrI => arith::ORI,
        Combine::XOrI => arith::XORI,
    })
}

/// Combines `old` and `new`; for an exchange the result is `new`.
pub fn combine<'p>(b: Builder<'p>, kind: Combine, old: Val<'p>, new: Val<'p>) -> Val<'p> {
    match operation(kind) {
        Some(name) => b.op(name).operands(&[old, new]).result(old.ty()).value(),
        None => new,
    }
}

/// The neutral element of an operation, which is the operand of inactive lanes.
///
/// The neutral value of float sums is -0, because +0 would change a sum of -0 to +0. For float minima and maxima the
/// neutral value is NaN, because the minimum or maximum of a number and NaN is the number (IEEE 754-2008, minNum). An
/// infinity would be wrong: a plane of NaNs would have a number as its result.
pub fn neutral<'p>(b: Builder<'p>, kind: Combine, ty: Type<'p>) -> Val<'p> {
    match kind {
        Combine::AddF | Combine::SubF => b.float(ty, -0.0),
        Combine::MinF | Combine::MaxF => b.float(ty, f64::NAN),
        _ => scan_start(b, kind, ty),
    }
}

/// The value of the first lane in an exclusive scan: 0 for float sums, an infinity for float minima and
/// maxima, and otherwise the neutral element.
pub fn scan_start<'p>(b: Builder<'p>, kind: Combine, ty: Type<'p>) -> Val<'p> {
    let bits = ty.bits().unwrap_or(32).min(64);
    match kind {
        Combine::AddF | Combine::SubF => b.float(ty, 0.0),
        Combine::MulF => b.float(ty, 1.0),
        Combine::MinF => b.float(ty, f64::INFINITY),
        Combine::MaxF => b.float(ty, f64::NEG_INFINITY),
        Combine::MulI => b.int(ty, 1),
        Combine::MinSI => b.int(ty, i64::MAX >> (64 - bits)),
        Combine::MaxSI => b.int(ty, i64::MIN >> (64 - bits)),
        Combine::MinUI | Combine::AndI => b.int(ty, -1),
        Combine::AddI | Combine::SubI | Combine::MaxUI | Combine::OrI | Combine::XOrI | Combine::Exchange => {
            b.int(ty, 0)
        }
    }
}
