//! The meaning of relocation types, for x86-64 and 64-bit ARM.
use super::immediate::Immediate;

/// The value that a relocation computes, and the field that stores it. Each relocation type of an instruction set
/// corresponds to one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The value to compute.
    pub value: Value,
    /// The field that stores the value of a relocation.
    pub field: Field,
}

/// The value that a relocation computes. `S` is the address of the symbol, `A` the addend, and `P` the address of the
/// field. `G` is the address of the symbol's entry in the global offset table. `page` clears the lowest 12 bits of an
/// address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// `S + A`
    Absolute,
    /// `S + A - P`
    Relative,
    /// `G + A - P`
    GotRelative,
    /// `page(S + A) - page(P)`
    PageRelative,
    /// `page(G + A) - page(P)`
    GotPageRelative,
    /// `G + A`
    GotAbsolute,
}

/// The field that stores the value of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// 8 bytes.
    Word64,
    /// 4 bytes, signed.
    Signed32,
    /// 4 bytes, unsigned.
    Unsigned32,
    /// The immediate operand of a 64-bit ARM instruction.
    Instruction(Immediate),
}

impl Field {
    /// Size of the field in bytes.
    pub fn bytes(self) -> usize {
        if self == Field::Word64 { 8 } else { 4 }
    }
}
