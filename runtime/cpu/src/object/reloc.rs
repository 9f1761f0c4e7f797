//! Relocations: fields of the image whose values depend on addresses.
//!
//! The formulas for the values of relocated fields are from the psABI documents. `S` is the address of the symbol,
//! `A` the addend, and `P` the address of the field. `G` is the address of the symbol's word in the global offset
//! table.
use super::layout::Layout;
use super::machine::Machine;
use super::rule::{Field, Rule, Value};
use super::sound::{invalid, unreadable};
use super::symbols::Symbols;
use super::{aarch64, x86_64};
use cube_runtime::RuntimeError;
use object::elf::{self, Rela64, SectionHeader64};
use object::endian::LittleEndian;
use object::read::elf::{Rela, SectionHeader};
use std::collections::BTreeMap;

/// One field that a relocation fills.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    rule: Rule,
    /// Offset of the field in the image. The complete field is inside the image.
    place: usize,
    /// Offset in the image of the symbol to which the relocation refers.
    symbol: usize,
    addend: i64,
}

/// The global offset table. The table has one word for each symbol whose address is loaded from it.
#[derive(Debug, Default)]
pub(super) struct GlobalOffsetTable {
    /// Maps the offset of a symbol to the number of the symbol's word.
    words: BTreeMap<usize, usize>,
    offset: usize,
}

impl GlobalOffsetTable {
    fn add(&mut self, symbol: usize) {
        let next = self.words.len();
        self.words.entry(symbol).or_insert(next);
    }

    /// Allocates the bytes of all words of the table in the image. The set of all words of the table must be
    /// complete before this call.
    pub fn place(&mut self, layout: &mut Layout) -> Result<(), RuntimeError> {
        self.offset = layout.reserve(self.words.len() * 8, 8)?;
        Ok(())
    }

    pub fn write(&self, image: &mut [u8], base: u64) -> Result<(), RuntimeError> {
        for (symbol, number) in &self.words {
            store(image, self.offset + number * 8, &(base + *symbol as u64).to_le_bytes())?;
        }
        Ok(())
    }

    fn word(&self, symbol: usize) -> usize {
        self.offset + self.words.get(&symbol).copied().unwrap_or(0) * 8
    }
}

/// Adds a patch for each relocation in `section`, if the relocations apply to a section that is loaded.
pub(super) fn collect(
    machine: Machine,
    data: &[u8],
    section: &SectionHeader64<LittleEndian>,
    layout: &Layout,
    symbols: &Symbols,
    got: &mut GlobalOffsetTable,
    patches: &mut Vec<Patch>,
) -> Result<(), RuntimeError> {
    let sh_type = section.sh_type(LittleEndian);
    if !matches!(sh_type, elf::SHT_RELA | elf::SHT_REL | elf::SHT_CREL | elf::SHT_RELR) {
        return Ok(());
    }
    let Some(target) = layout.get(section.sh_info(LittleEndian) as usize) else { return Ok(()) };
    let Some((relocations, _)) = section.rela(LittleEndian, data).map_err(unreadable)? else {
        return Err(invalid(format!("relocation section type {sh_type:#x} is unsupported: only RELA is supported")));
    };
    for relocation in relocations {
        let r_type = relocation.r_type(LittleEndian, false);
        // Type 0 has no effect on either machine.
        if r_type == 0 {
            continue;
        }
        let rule = rule(machine, r_type)?;
        let place = place(relocation, rule.field, target.data.len())? + target.offset;
        let index = Rela::symbol(relocation, LittleEndian, false)
            .ok_or_else(|| invalid(format!("a relocation of type {r_type} has no symbol")))?;
        let symbol = symbols.offset(index, layout)?;
        if matches!(rule.value, Value::GotRelative | Value::GotPageRelative | Value::GotAbsolute) {
            got.add(symbol);
        }
        patches.push(Patch { rule, place, symbol, addend: relocation.r_addend(LittleEndian) });
    }
    Ok(())
}

fn rule(machine: Machine, r_type: u32) -> Result<Rule, RuntimeError> {
    let rule = match machine {
        Machine::X86_64 => x86_64::rule(r_type),
        Machine::Aarch64 => aarch64::rule(r_type),
    };
    rule.ok_or_else(|| invalid(format!("relocation type {r_type} of {} is not supported", machine.name())))
}

/// The offset of a relocated field in the section that contains the field. All bytes of this field are inside
/// the section.
fn place(relocation: &Rela64<LittleEndian>, field: Field, section: usize) -> Result<usize, RuntimeError> {
    let offset = relocation.r_offset(LittleEndian);
    let inside = offset.checked_add(field.bytes() as u64).is_some_and(|end| end <= section as u64);
    if !inside {
        return Err(invalid(format!("a relocation at byte {offset} is outside its section of {section} bytes")));
    }
    Ok(offset as usize)
}

impl Patch {
    /// Fills the field in an image at `base`.
    pub fn apply(&self, image: &mut [u8], base: u64, got: &GlobalOffsetTable) -> Result<(), RuntimeError> {
        let at = |offset: usize| base.wrapping_add(offset as u64) as i64;
        let (symbol, place, word) = (at(self.symbol), at(self.place), at(got.word(self.symbol)));
        let page = |address: i64| address & !0xfff;
        let value = match self.rule.value {
            Value::Absolute => symbol.wrapping_add(self.addend),
            Value::Relative => symbol.wrapping_add(self.addend).wrapping_sub(place),
            Value::GotRelative => word.wrapping_add(self.addend).wrapping_sub(place),
            Value::PageRelative => page(symbol.wrapping_add(self.addend)).wrapping_sub(page(place)),
            Value::GotPageRelative => page(word.wrapping_add(self.addend)).wrapping_sub(page(place)),
            Value::GotAbsolute => word.wrapping_add(self.addend),
        };
        let out_of_reach = || {
            invalid(format!(
                "a relocation at byte {} of its image does not reach its target; it is not position-independent",
                self.place
            ))
        };
        match self.rule.field {
            Field::Word64 => store(image, self.place, &value.to_le_bytes()),
            Field::Signed32 => {
                let value = i32::try_from(value).map_err(|_| out_of_reach())?;
                store(image, self.place, &value.to_le_bytes())
            }
            Field::Unsigned32 => {
                let value = u32::try_from(value).map_err(|_| out_of_reach())?;
                store(image, self.place, &value.to_le_bytes())
            }
            Field::Instruction(immediate) => {
                let old = image.get(self.place..self.place + 4).and_then(|bytes| bytes.first_chunk::<4>());
                let old = u32::from_le_bytes(*old.ok_or_else(out_of_reach)?);
                let new = immediate.insert(old, value).ok_or_else(out_of_reach)?;
                store(image, self.place, &new.to_le_bytes())
            }
        }
    }
}

fn store(image: &mut [u8], at: usize, bytes: &[u8]) -> Result<(), RuntimeError> {
    let place = image.get_mut(at..at + bytes.len());
    place.ok_or_else(|| invalid("a relocation is outside its image"))?.copy_from_slice(bytes);
    Ok(())
}
