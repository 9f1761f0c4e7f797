//! The immediate operands of 64-bit ARM instructions that relocations fill.

/// An immediate operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Immediate {
    /// Bits 25..0 of B and BL: the distance in words.
    Branch26,
    /// Bits 30..29 and 23..5 of ADRP: the distance in pages.
    Page21,
    /// Bits 21..10 of ADD: the low 12 bits of an address.
    Low12,
    /// Bits 21..10 of a load or store of `1 << scale` bytes: the low 12 bits of an address, in multiples of the access
    /// size.
    LowScaled {
        /// Binary logarithm of the access size.
        scale: u32,
    },
}

impl Immediate {
    /// Inserts `value` as the immediate operand of an instruction; `None` if the value does not fit.
    pub fn insert(self, instruction: u32, value: i64) -> Option<u32> {
        match self {
            Immediate::Branch26 => {
                let words = signed(aligned(value, 2)?, 26)?;
                Some(instruction & !0x03ff_ffff | words)
            }
            Immediate::Page21 => {
                let pages = signed(aligned(value, 12)?, 21)?;
                let (low, high) = (pages & 3, pages >> 2);
                Some(instruction & !0x60ff_ffe0 | low << 29 | high << 5)
            }
            Immediate::Low12 => Some(low12(instruction, (value & 0xfff) as u32)),
            Immediate::LowScaled { scale } => Some(low12(instruction, aligned(value & 0xfff, scale)? as u32)),
        }
    }
}

fn low12(instruction: u32, bits: u32) -> u32 {
    instruction & !0x003f_fc00 | bits << 10
}

/// `value` divided by `1 << shift`; `None` if the division has a remainder.
fn aligned(value: i64, shift: u32) -> Option<i64> {
    (value & ((1 << shift) - 1) == 0).then_some(value >> shift)
}

/// The low `bits` bits of a value; `None` if `bits` bits cannot represent the value as a signed number.
fn signed(value: i64, bits: u32) -> Option<u32> {
    let limit = 1i64 << (bits - 1);
    (-limit..limit).contains(&value).then_some((value & ((1 << bits) - 1)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Encodings checked against LLVM's assembler (llvm-mc --triple=aarch64 --show-encoding).
    #[test]
    fn immediates_are_those_of_the_assembler() {
        let (bl, adrp, add, ldr_s, ldr_q) = (0x9400_0000, 0x9000_0000, 0x9100_0000, 0xbd40_0000, 0x3dc0_0000);
        assert_eq!(Immediate::Branch26.insert(bl, 8), Some(0x9400_0002)); // bl #8
        assert_eq!(Immediate::Branch26.insert(bl, -4), Some(0x97ff_ffff)); // bl #-4
        assert_eq!(Immediate::Page21.insert(adrp, 0x1000), Some(0xb000_0000)); // adrp x0, #4096
        assert_eq!(Immediate::Page21.insert(adrp, -0x1000), Some(0xf0ff_ffe0)); // adrp x0, #-4096
        assert_eq!(Immediate::Low12.insert(add, 0x1234), Some(0x9108_d000)); // add x0, x0, #0x234
        assert_eq!(Immediate::LowScaled { scale: 2 }.insert(ldr_s, 0x5008), Some(0xbd40_0800)); // ldr s0, [x0, #8]
        assert_eq!(Immediate::LowScaled { scale: 4 }.insert(ldr_q, 0x20), Some(0x3dc0_0800)); // ldr q0, [x0, #32]
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        assert_eq!(Immediate::Branch26.insert(0, 2), None);
        assert!(Immediate::Branch26.insert(0, (1 << 27) - 4).is_some());
        assert_eq!(Immediate::Branch26.insert(0, 1 << 27), None);
        assert_eq!(Immediate::Page21.insert(0, 1 << 32), None);
        assert!(Immediate::Page21.insert(0, -(1 << 32)).is_some());
        assert_eq!(Immediate::LowScaled { scale: 3 }.insert(0, 4), None);
    }

    #[test]
    fn an_old_immediate_is_replaced_not_mixed_in() {
        assert_eq!(Immediate::Low12.insert(0x913f_fc00, 0), Some(0x9100_0000));
        assert_eq!(Immediate::Branch26.insert(0x97ff_ffff, 0), Some(0x9400_0000));
        assert_eq!(Immediate::Page21.insert(0xf0ff_ffe0, 0), Some(0x9000_0000));
    }
}
