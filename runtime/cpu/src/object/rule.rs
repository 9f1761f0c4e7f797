//! Meaning of relocation types, for both machines.
use super::immediate::Immediate;

/// The computation and the form in which it is stored; one relocation type of either machine maps to one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// Which value.
    pub value: Value,
    /// In which bits.
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

/// The destination of the value.
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
