//! Functions that combine two values in atomics and plane operations.
use super::ring;
use crate::program::Fn2;
use crate::shape::LaneKind;
use cube_dialect::Combine;
use cube_ir::{OpKind, ops::arith};
use cube_semantics::{Number, convert, floats, ints};

/// The function of a combining operation. The first operand of the function is the old value, and the last is
/// the width.
pub fn function(kind: Combine, element: LaneKind, in_ring: bool) -> Option<Fn2> {
    let float = |table: floats::ByFormat<Fn2>, kind: OpKind| match in_ring {
        true => Some(ring::binary(kind)),
        false => Some(table[element.format()?]),
    };
    match kind {
        Combine::Exchange => Some(|_, new, _| new),
        Combine::AddI => Some(ints::add),
        Combine::SubI => Some(ints::sub),
        Combine::MulI => Some(ints::mul),
        Combine::MinSI => Some(ints::mins),
        Combine::MinUI => Some(ints::minu),
        Combine::MaxSI => Some(ints::maxs),
        Combine::MaxUI => Some(ints::maxu),
        Combine::AndI => Some(ints::and),
        Combine::OrI => Some(ints::or),
        Combine::XOrI => Some(ints::xor),
        Combine::AddF => float(floats::ADD, arith::ADDF),
        Combine::SubF => float(floats::SUB, arith::SUBF),
        Combine::MulF => float(floats::MUL, arith::MULF),
        // If one operand is NaN, the result is the other operand, as in Rust's `min` and in the atomics of all targets.
        Combine::MinF => float(floats::MINNUM, arith::MINNUMF),
        Combine::MaxF => float(floats::MAXNUM, arith::MAXNUMF),
    }
}

/// The identity of a combining operation. The identity is the result of the first lane in an exclusive scan.
pub fn identity(kind: Combine, element: LaneKind, in_ring: bool) -> u64 {
    let bits = element.bits();
    let float = |x: f64| match in_ring {
        true => ring::of_bits(x.to_bits(), Number::F64),
        false => element.number().map_or(0, |number| convert::of_double(x, number)),
    };
    match kind {
        Combine::MulI => 1,
        Combine::MinSI => ints::mask(bits) >> 1,
        Combine::MaxSI => 1 << (bits - 1),
        Combine::MinUI | Combine::AndI => ints::mask(bits),
        Combine::MulF => float(1.0),
        Combine::MinF => float(f64::INFINITY),
        Combine::MaxF => float(f64::NEG_INFINITY),
        // 0.0 instead of -0.0 is the conventional value of an empty sum.
        _ => 0,
    }
}
