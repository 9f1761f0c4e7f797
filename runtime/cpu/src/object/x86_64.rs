//! Relocation types of x86-64 (System V psABI for AMD64, table 4.9).
use super::rule::{Field, Rule, Value};
use object::elf;

pub(super) fn rule(r_type: u32) -> Option<Rule> {
    let (value, field) = match r_type {
        elf::R_X86_64_64 => (Value::Absolute, Field::Word64),
        elf::R_X86_64_PC64 => (Value::Relative, Field::Word64),
        // A call through the procedure linkage table becomes a direct call, because every symbol is in the image.
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => (Value::Relative, Field::Signed32),
        elf::R_X86_64_32 => (Value::Absolute, Field::Unsigned32),
        elf::R_X86_64_32S => (Value::Absolute, Field::Signed32),
        elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
            (Value::GotRelative, Field::Signed32)
        }
        _ => return None,
    };
    Some(Rule { value, field })
}
