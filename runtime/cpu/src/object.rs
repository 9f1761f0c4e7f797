//! Loads a relocatable ELF object, with only the linker features that kernels need.
//!
//! [`Plan::new`] reads and checks the object and computes the size of its image. [`Plan::write`] fills the image for
//! its load address. This module contains no unsafe code and does not trust its input, because an object can come from
//! a damaged cache file.
//!
//! ```text
//! image:  .text | .text.* | .rodata* | .data.rel.ro* | GOT, one word per symbol
//! ```
mod aarch64;
mod immediate;
mod layout;
mod machine;
mod reloc;
mod rule;
mod sound;
mod symbols;
#[cfg(test)]
mod tests;
mod x86_64;

pub use machine::Machine;
pub use sound::ALIGNMENT;

use crate::object::layout::Layout;
use crate::object::sound::{invalid, unreadable};
use crate::object::symbols::Symbols;
use cube_runtime::RuntimeError;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::endian::LittleEndian;
use object::read::elf::FileHeader;

/// A parsed and valid object, which can be written to any address.
#[derive(Debug)]
pub struct Plan<'d> {
    layout: Layout<'d>,
    patches: Vec<reloc::Patch>,
    got: reloc::GlobalOffsetTable,
    entry: usize,
}

impl<'d> Plan<'d> {
    /// Parses an object for `machine` that has the entry function `entry`.
    ///
    /// # Errors
    /// [`cube_runtime::ErrorKind::InvalidArtifact`] if the object is invalid or has undefined symbols.
    pub fn new(data: &'d [u8], entry: &str, machine: Machine) -> Result<Self, RuntimeError> {
        let header = FileHeader64::<LittleEndian>::parse(data).map_err(unreadable)?;
        let endian = header.endian().map_err(unreadable)?;
        match Machine::of(header.e_machine(endian)) {
            Some(found) if found == machine => {}
            Some(found) => {
                return Err(invalid(format!("it is made for {}, this machine is {}", found.name(), machine.name())));
            }
            None => {
                return Err(invalid(format!(
                    "it is made for ELF machine {}, this one is {}",
                    header.e_machine(endian),
                    machine.name()
                )));
            }
        }
        if header.e_type(endian) != elf::ET_REL {
            return Err(invalid("it is a linked file, not a relocatable object"));
        }
        let sections = header.sections(endian, data).map_err(unreadable)?;
        let mut layout = Layout::new(data, &sections)?;
        let symbols = Symbols::new(data, &sections)?;
        let entry = symbols.entry(entry, &layout)?;
        let mut patches = Vec::new();
        let mut got = reloc::GlobalOffsetTable::default();
        for section in sections.iter() {
            reloc::collect(machine, data, section, &layout, &symbols, &mut got, &mut patches)?;
        }
        got.place(&mut layout)?;
        Ok(Plan { layout, patches, got, entry })
    }

    /// Size of the image in bytes; at least one.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Offset of the entry function in the image.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// A copy of the object for a debugger, in which the section addresses include the load address `base`. `None`
    /// without debug information. The debugger itself applies the relocations of the object.
    pub fn for_debugger(&self, data: &[u8], base: u64) -> Option<Vec<u8>> {
        let header = FileHeader64::<LittleEndian>::parse(data).ok()?;
        let sections = header.sections(LittleEndian, data).ok()?;
        sections.section_by_name(LittleEndian, b".debug_info")?;
        let mut object = data.to_vec();
        let table = usize::try_from(header.e_shoff(LittleEndian)).ok()?;
        for (index, placed) in self.layout.indexed() {
            let address = table + index * size_of::<SectionHeader64<LittleEndian>>() + ADDRESS_IN_HEADER;
            object.get_mut(address..address + 8)?.copy_from_slice(&(base + placed.offset as u64).to_le_bytes());
        }
        Some(object)
    }

    /// Writes the image for the load address `base`, which must be a multiple of [`ALIGNMENT`].
    ///
    /// # Errors
    /// The target of a relocation is too far away for its field.
    pub fn write(&self, image: &mut [u8], base: u64) -> Result<(), RuntimeError> {
        if image.len() < self.size() || !base.is_multiple_of(ALIGNMENT as u64) {
            return Err(invalid("its image was given too few bytes or an unaligned address"));
        }
        for placed in self.layout.sections() {
            image[placed.offset..placed.offset + placed.data.len()].copy_from_slice(placed.data);
        }
        self.got.write(image, base)?;
        for patch in &self.patches {
            patch.apply(image, base, &self.got)?;
        }
        Ok(())
    }
}

/// Offset of the field `sh_addr` in an ELF64 section header.
const ADDRESS_IN_HEADER: usize = 16;
