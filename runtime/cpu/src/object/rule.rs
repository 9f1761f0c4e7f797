//! Meaning of relocation types, for both machines.
use super::immediate::Immediate;

/// The value of a relocation, and the field that stores it. Each relocation type of either machine maps to one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The value to compute.
    pub value: Value,
    /// The field that stores the value.
    pub field: Field,
}

/// The value of a relocation.
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

/// The field that stores the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// 8 bytes.
    Word64,
    /// 4 bytes, signed.
    Signed32,
    /// 4 bytes, unsigned.
    Unsigned32,
    /// The immediate of an instruction of aarch64.
    Instruction(Immediate),
}

impl Field {
    /// Number of bytes in the image.
    pub fn bytes(self) -> usize {
        if self == Field::Word64 { 8 } else { 4 }
    }
}
