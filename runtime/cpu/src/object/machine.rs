//! The instruction sets of the objects that can be loaded.
use object::elf;

/// The supported instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// AMD64.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
}

impl Machine {
    /// The instruction set of this program; `None` if kernels cannot run here.
    pub fn host() -> Option<Machine> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Machine::X86_64),
            "aarch64" => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// The instruction set that an ELF header names.
    pub(super) fn of(e_machine: u16) -> Option<Machine> {
        match e_machine {
            elf::EM_X86_64 => Some(Machine::X86_64),
            elf::EM_AARCH64 => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// Name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Machine::X86_64 => "x86-64",
            Machine::Aarch64 => "aarch64",
        }
    }
}
