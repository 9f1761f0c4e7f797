//! The instruction sets of objects.
use object::elf;

/// The instruction sets whose objects are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// AMD64.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
}

impl Machine {
    /// The one this program runs on; `None` where kernels cannot run.
    pub fn host() -> Option<Machine> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Machine::X86_64),
            "aarch64" => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// The one that an ELF header names.
    pub(super) fn of(e_machine: u16) -> Option<Machine> {
        match e_machine {
            elf::EM_X86_64 => Some(Machine::X86_64),
            elf::EM_AARCH64 => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Machine::X86_64 => "x86-64",
            Machine::Aarch64 => "aarch64",
        }
    }
}
