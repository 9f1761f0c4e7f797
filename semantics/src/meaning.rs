//! The table that maps each MLIR operation to its meaning.
use crate::{Conversion, FloatOp, IntOp};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The computation that an MLIR operation applies to each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// An operation on integers.
    Int(IntOp),
    /// An operation with two results: the first integer operation computes the first result, and the second
    /// one computes the second result.
    IntPair([IntOp; 2]),
    /// An operation on floats.
    Float(FloatOp),
    /// A comparison of integers; the attribute `predicate` is the number of an [`IntPredicate`](crate::IntPredicate).
    CompareInts,
    /// A comparison of floats; the attribute `predicate` is the number of a [`FloatPredicate`](crate::FloatPredicate).
    CompareFloats,
    /// A conversion from the type of the operand to the type of the result.
    Convert(Conversion),
}

/// Operations that are not in the tables of [`IntOp`], [`FloatOp`] and [`Conversion`], because they have two
/// results or a predicate attribute.
const OTHERS: &[(&str, Meaning)] = &[
    ("arith.addui_extended", Meaning::IntPair([IntOp::Add, IntOp::Carry])),
    ("arith.mulsi_extended", Meaning::IntPair([IntOp::Mul, IntOp::MulHighS])),
    ("arith.mului_extended", Meaning::IntPair([IntOp::Mul, IntOp::MulHighU])),
    ("arith.cmpf", Meaning::CompareFloats),
    ("arith.cmpi", Meaning::CompareInts),
    ("llvm.fcmp", Meaning::CompareFloats),
    ("llvm.icmp", Meaning::CompareInts),
];

/// All MLIR operations in this table. Each operation name occurs only once.
pub fn meanings() -> impl Iterator<Item = (&'static str, Meaning)> {
    let ints = IntOp::ALL.iter().flat_map(|op| op.names().iter().map(|name| (*name, Meaning::Int(*op))));
    let floats = FloatOp::ALL.iter().flat_map(|op| op.names().iter().map(|name| (*name, Meaning::Float(*op))));
    let converts = Conversion::ALL.iter().flat_map(|c| c.names().iter().map(|name| (*name, Meaning::Convert(*c))));
    ints.chain(floats).chain(converts).chain(OTHERS.iter().copied())
}

/// The meaning of an MLIR operation by its full name, such as `arith.addi`. `None` for operations that are not scalar
/// or have effects, and for functions of `math` beyond arithmetic.
pub fn meaning(name: &str) -> Option<Meaning> {
    static TABLE: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| meanings().collect());
    TABLE.get(name).copied()
}
