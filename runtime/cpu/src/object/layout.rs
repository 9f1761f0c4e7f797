//! The sections of an object that are loaded, and their offsets in the image.
use super::sound::{ALIGNMENT, invalid, unreadable};
use cube_runtime::RuntimeError;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::endian::LittleEndian;
use object::read::elf::{SectionHeader, SectionTable};
use std::collections::HashMap;

type Elf = FileHeader64<LittleEndian>;
type Header = SectionHeader64<LittleEndian>;

/// The maximum size of an image in bytes. In an image of this size, all relative relocations are in range. The
/// maximum size also bounds the memory that an invalid header can request.
const MAX_IMAGE: usize = 64 << 20;

/// A section, with its offset in the image.
#[derive(Debug)]
pub(super) struct PlacedSection<'d> {
    pub offset: usize,
    pub data: &'d [u8],
    pub executable: bool,
}

/// The offsets of all sections that are loaded.
#[derive(Debug)]
pub(super) struct Layout<'d> {
    by_index: HashMap<usize, PlacedSection<'d>>,
    size: usize,
}

impl<'d> Layout<'d> {
    pub fn new(data: &'d [u8], sections: &SectionTable<'d, Elf>) -> Result<Self, RuntimeError> {
        let mut layout = Layout { by_index: HashMap::new(), size: 0 };
        for (index, section) in sections.enumerate() {
            let name = sections.section_name(LittleEndian, section).unwrap_or(b"?").escape_ascii().to_string();
            if !keep(section, &name)? {
                continue;
            }
            let bytes = section.data(LittleEndian, data).map_err(unreadable)?;
            let align = section.sh_addralign(LittleEndian).max(1);
            if !align.is_power_of_two() || align > ALIGNMENT as u64 {
                return Err(invalid(format!(
                    "section {name} requires an alignment of {align}, but the limit is {ALIGNMENT}"
                )));
            }
            let offset = layout.reserve(bytes.len(), align as usize)?;
            let executable = flags(section) & u64::from(elf::SHF_EXECINSTR) != 0;
            layout.by_index.insert(index.0, PlacedSection { offset, data: bytes, executable });
        }
        Ok(layout)
    }

    /// Allocates the next aligned bytes of the image.
    pub fn reserve(&mut self, bytes: usize, align: usize) -> Result<usize, RuntimeError> {
        let offset = self.size.next_multiple_of(align);
        let end = offset.checked_add(bytes).filter(|&end| end <= MAX_IMAGE);
        self.size = end.ok_or_else(|| invalid(format!("its sections take more than {MAX_IMAGE} bytes")))?;
        Ok(offset)
    }

    /// The section with this index, if it is loaded.
    pub fn get(&self, index: usize) -> Option<&PlacedSection<'d>> {
        self.by_index.get(&index)
    }

    pub fn sections(&self) -> impl Iterator<Item = &PlacedSection<'d>> {
        self.by_index.values()
    }

    /// The loaded sections, with their indices in the object.
    pub fn indexed(&self) -> impl Iterator<Item = (usize, &PlacedSection<'d>)> {
        self.by_index.iter().map(|(index, placed)| (*index, placed))
    }

    pub fn size(&self) -> usize {
        self.size.max(1)
    }
}

fn flags(section: &Header) -> u64 {
    section.sh_flags(LittleEndian)
}

/// Whether a section belongs to the image. A section with a feature that kernels do not use is an error.
fn keep(section: &Header, name: &str) -> Result<bool, RuntimeError> {
    if flags(section) & u64::from(elf::SHF_ALLOC) == 0 || section.sh_size(LittleEndian) == 0 {
        return Ok(false);
    }
    // These sections are not loaded: no exception unwinds through a kernel, and the notes of the object are not used.
    if name.starts_with(".eh_frame") || section.sh_type(LittleEndian) == elf::SHT_NOTE {
        return Ok(false);
    }
    if flags(section) & u64::from(elf::SHF_TLS) != 0 {
        return Err(invalid(format!("section {name} is thread-local, but kernels cannot have thread-local data")));
    }
    // Only the linker writes to .data.rel.ro.
    if flags(section) & u64::from(elf::SHF_WRITE) != 0 && !name.starts_with(".data.rel.ro") {
        return Err(invalid(format!("section {name} is writable, but kernels cannot have writable data")));
    }
    match section.sh_type(LittleEndian) {
        elf::SHT_PROGBITS => Ok(true),
        other => Err(invalid(format!("section {name} has type {other:#x}, which is not loaded"))),
    }
}
