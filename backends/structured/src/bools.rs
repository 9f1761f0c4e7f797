//! Replaces integer operations on bools by logical operations, such as `and` and `not`. Shading languages
//! have no arithmetic operations on bools.
use cube_ir::ops::{arith, cube};
use cube_ir::{Op, upstream::IntCmp};

/// A logical operation on two bools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    Both,
    Either,
    Equal,
    Differ,
    /// The first operand.
    First,
    False,
}

/// The logical operation that replaces an integer operation on bools, and the operands that are negated
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfBools {
    /// For each operand, whether the operand is negated first.
    pub not: [bool; 2],
    pub logic: Logic,
}

impl OfBools {
    /// The logical operation that replaces an operation on bools with a bool as its result; `None` for other
    /// operations. True is 1 in unsigned operations, and -1 in signed operations.
    pub fn of(op: Op<'_>) -> Option<OfBools> {
        let (not, logic) = match op.kind() {
            arith::ADDI | arith::SUBI | arith::XORI => ([false; 2], Logic::Differ),
            arith::MULI | arith::ANDI | arith::MINUI | arith::MAXSI => ([false; 2], Logic::Both),
            arith::ORI | arith::MAXUI | arith::MINSI => ([false; 2], Logic::Either),
            // Total division and shifts by an amount that is masked to 0 bits. For `arith`, all other results are
            // undefined.
            arith::SHLI | arith::SHRUI | arith::SHRSI | arith::DIVUI | arith::DIVSI => ([false; 2], Logic::First),
            cube::SHL | cube::SHRUI | cube::SHRSI | cube::DIVUI | cube::DIVSI | cube::REVERSE_BITS => {
                ([false; 2], Logic::First)
            }
            arith::REMUI | arith::REMSI | cube::REMUI | cube::REMSI => ([false; 2], Logic::False),
            arith::CMPI => match arith::Cmpi::of(op)?.predicate()? {
                IntCmp::Eq => ([false; 2], Logic::Equal),
                IntCmp::Ne => ([false; 2], Logic::Differ),
                IntCmp::Ult | IntCmp::Sgt => ([true, false], Logic::Both),
                IntCmp::Ule | IntCmp::Sge => ([true, false], Logic::Either),
                IntCmp::Ugt | IntCmp::Slt => ([false, true], Logic::Both),
                IntCmp::Uge | IntCmp::Sle => ([false, true], Logic::Either),
            },
            _ => return None,
        };
        Some(OfBools { not, logic })
    }
}
