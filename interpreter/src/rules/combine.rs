//! How atomics and plane operations make one value of two.
use super::ring;
use crate::program::Fn2;
use crate::shape::Kind;
use cube_dialect::Combine;
use cube_semantics::{Number, convert, floats, ints};

/// The function of a combining word; the last operand is the width. The old value comes first.
pub fn function(kind: Combine, element: Kind, in_ring: bool) -> Option<Fn2> {
    let float = |table: floats::ByFormat<Fn2>, name: &str| match in_ring {
        true => Some(ring::binary(name)),
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
        Combine::AddF => float(floats::ADD, "arith.addf"),
        Combine::SubF => float(floats::SUB, "arith.subf"),
        Combine::MulF => float(floats::MUL, "arith.mulf"),
        // A NaN loses, as in Rust's `min` and in the atomics of all targets.
        Combine::MinF => float(floats::MINNUM, "arith.minnumf"),
        Combine::MaxF => float(floats::MAXNUM, "arith.maxnumf"),
    }
}

/// What changes nothing when combined; what the first lane gets of an exclusive scan.
pub fn identity(kind: Combine, element: Kind, in_ring: bool) -> u64 {
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
        // 0.0 and not -0.0, which is what a sum of nothing is to everyone.
        _ => 0,
    }
}
