//! Relocation types of 64-bit ARM (ELF for the Arm 64-bit Architecture, section 5.7).
use super::immediate::Immediate;
use super::rule::{Field, Rule, Value};
use object::elf;

pub(super) fn rule(r_type: u32) -> Option<Rule> {
    let load = |scale| Field::Instruction(Immediate::LowScaled { scale });
    let (value, field) = match r_type {
        elf::R_AARCH64_ABS64 => (Value::Absolute, Field::Word64),
        elf::R_AARCH64_PREL64 => (Value::Relative, Field::Word64),
        elf::R_AARCH64_PREL32 => (Value::Relative, Field::Signed32),
        elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => (Value::Relative, Field::Instruction(Immediate::Branch26)),
        elf::R_AARCH64_ADR_PREL_PG_HI21 => (Value::PageRelative, Field::Instruction(Immediate::Page21)),
        elf::R_AARCH64_ADR_GOT_PAGE => (Value::GotPageRelative, Field::Instruction(Immediate::Page21)),
        elf::R_AARCH64_ADD_ABS_LO12_NC => (Value::Absolute, Field::Instruction(Immediate::Low12)),
        elf::R_AARCH64_LDST8_ABS_LO12_NC => (Value::Absolute, load(0)),
        elf::R_AARCH64_LDST16_ABS_LO12_NC => (Value::Absolute, load(1)),
        elf::R_AARCH64_LDST32_ABS_LO12_NC => (Value::Absolute, load(2)),
        elf::R_AARCH64_LDST64_ABS_LO12_NC => (Value::Absolute, load(3)),
        elf::R_AARCH64_LDST128_ABS_LO12_NC => (Value::Absolute, load(4)),
        elf::R_AARCH64_LD64_GOT_LO12_NC => (Value::GotAbsolute, load(3)),
        _ => return None,
    };
    Some(Rule { value, field })
}
