//! Two values become one: what atomics, plane reductions and scans share.
use cube_dialect::Combine;
use cube_ir::{Builder, Type, TypeExt, Val};

/// The operation of `arith` that combines two values; `None` for the exchange, which has none.
fn operation(kind: Combine) -> Option<&'static str> {
    Some(match kind {
        Combine::Exchange => return None,
        Combine::AddI => "arith.addi",
        Combine::AddF => "arith.addf",
        Combine::SubI => "arith.subi",
        Combine::SubF => "arith.subf",
        Combine::MulI => "arith.muli",
        Combine::MulF => "arith.mulf",
        Combine::MinSI => "arith.minsi",
        Combine::MinUI => "arith.minui",
        Combine::MinF => "arith.minnumf",
        Combine::MaxSI => "arith.maxsi",
        Combine::MaxUI => "arith.maxui",
        Combine::MaxF => "arith.maxnumf",
        Combine::AndI => "arith.andi",
        Combine::OrI => "arith.ori",
        Combine::XOrI => "arith.xori",
    })
}

/// `old` and `new` combined; for an exchange the new one.
pub(super) fn combine<'p>(b: Builder<'p>, kind: Combine, old: Val<'p>, new: Val<'p>) -> Val<'p> {
    match operation(kind) {
        Some(name) => b.op(name).operands(&[old, new]).result(old.ty()).value(),
        None => new,
    }
}

/// The value that changes nothing when it is combined with another. For sums of floats that is -0, for +0 would turn -0 into +0.
pub(super) fn identity<'p>(b: Builder<'p>, kind: Combine, ty: Type<'p>) -> Val<'p> {
    let bits = ty.bits().unwrap_or(32).min(64);
    match kind {
        Combine::AddF | Combine::SubF => b.float(ty, -0.0),
        Combine::MulF => b.float(ty, 1.0),
        Combine::MinF => b.float(ty, f64::INFINITY),
        Combine::MaxF => b.float(ty, f64::NEG_INFINITY),
        Combine::MulI => b.int(ty, 1),
        Combine::MinSI => b.int(ty, (u64::MAX >> (65 - bits)) as i64),
        Combine::MaxSI => b.int(ty, (1u64 << (bits - 1)).cast_signed().wrapping_shl(64 - bits).wrapping_shr(64 - bits)),
        Combine::MinUI | Combine::AndI => b.int(ty, -1),
        Combine::AddI | Combine::SubI | Combine::MaxUI | Combine::OrI | Combine::XOrI | Combine::Exchange => {
            b.int(ty, 0)
        }
    }
}
