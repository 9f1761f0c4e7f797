//! Tests with objects that are written word by word, and linked for an address that does not exist on this
//! machine.
use super::*;
use ::object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
use ::object::{Architecture, BinaryFormat, Endianness, RelocationFlags, SymbolFlags, SymbolKind, SymbolScope};

const BASE: u64 = 0x7f00_1234_5000;

/// An object with three parts: the function `entry` with the code `words`, the constant `data` of 16 bytes,
/// and relocations `(offset, type, addend)` that refer to `data`.
fn object(architecture: Architecture, words: &[u32], relocations: &[(u64, u32, i64)]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    let symbol = |name: &str, kind| Symbol {
        name: name.into(),
        value: 0,
        size: 0,
        kind,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    };
    let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let text = file.section_id(StandardSection::Text);
    let rodata = file.section_id(StandardSection::ReadOnlyData);
    let entry = file.add_symbol(symbol("entry", SymbolKind::Text));
    file.add_symbol_data(entry, text, &code, 4);
    let data = file.add_symbol(symbol("data", SymbolKind::Data));
    file.add_symbol_data(data, rodata, &[7; 16], 16);
    for &(offset, r_type, addend) in relocations {
        let flags = RelocationFlags::Elf { r_type };
        file.add_relocation(text, Relocation { offset, symbol: data, addend, flags }).expect("a known section");
    }
    file.write().expect("a small object")
}

fn link(machine: Machine, object: &[u8]) -> Result<Vec<u8>, RuntimeError> {
    let plan = Plan::new(object, "entry", machine)?;
    let mut image = vec![0; plan.size()];
    plan.write(&mut image, BASE)?;
    Ok(image)
}

fn word(image: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(image[at..at + 4].try_into().unwrap())
}

fn double(image: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(image[at..at + 8].try_into().unwrap())
}

/// The offset of the 16 bytes of `data` in an image.
fn data_in(image: &[u8]) -> usize {
    image.windows(16).position(|w| w == [7; 16]).expect("the constant is in the image")
}

#[test]
fn aarch64_fields_get_the_values_of_the_abi() {
    let words = [0x9000_0000, 0x9100_0000, 0xf940_0000, 0x9400_0000, 0x9000_0001, 0xf940_0021, 0, 0, 0, 0x3dc0_0000];
    let relocations = [
        (0, elf::R_AARCH64_ADR_PREL_PG_HI21, 0x5000),
        (4, elf::R_AARCH64_ADD_ABS_LO12_NC, 8),
        (8, elf::R_AARCH64_LDST64_ABS_LO12_NC, 0),
        (12, elf::R_AARCH64_CALL26, 4),
        (16, elf::R_AARCH64_ADR_GOT_PAGE, 0),
        (20, elf::R_AARCH64_LD64_GOT_LO12_NC, 0),
        (24, elf::R_AARCH64_ABS64, 1),
        (32, elf::R_AARCH64_PREL32, -2),
        (36, elf::R_AARCH64_LDST128_ABS_LO12_NC, 0),
    ];
    let image = link(Machine::Aarch64, &object(Architecture::Aarch64, &words, &relocations)).unwrap();
    let data = data_in(&image) as u32;
    assert!(data < 0x1000, "the image fits a page, so page distances are those of the addends");
    let got = (data + 16).next_multiple_of(8);
    assert_eq!(word(&image, 0), 0x9000_0000 | 1 << 29 | 1 << 5, "adrp x0, 5 pages on: low bits 01, high bits 1");
    assert_eq!(word(&image, 4), 0x9100_0000 | (data + 8) << 10);
    assert_eq!(word(&image, 8), 0xf940_0000 | (data / 8) << 10);
    assert_eq!(word(&image, 12), 0x9400_0000 | ((data + 4 - 12) / 4));
    assert_eq!(word(&image, 16), 0x9000_0001, "adrp x1, this page");
    assert_eq!(word(&image, 20), 0xf940_0021 | (got / 8) << 10);
    assert_eq!(double(&image, 24), BASE + u64::from(data) + 1);
    assert_eq!(word(&image, 32), data - 2 - 32);
    assert_eq!(word(&image, 36), 0x3dc0_0000 | (data / 16) << 10);
    assert_eq!(double(&image, got as usize), BASE + u64::from(data));
}

#[test]
fn x86_64_fields_get_the_values_of_the_abi() {
    let relocations = [
        (0, elf::R_X86_64_64, 5),
        (8, elf::R_X86_64_PC32, -4),
        (12, elf::R_X86_64_PLT32, 0),
        (16, elf::R_X86_64_GOTPCREL, -4),
        (20, elf::R_X86_64_REX_GOTPCRELX, -4),
        (24, elf::R_X86_64_PC64, 0),
        (0, elf::R_X86_64_NONE, 0),
    ];
    let image = link(Machine::X86_64, &object(Architecture::X86_64, &[0; 8], &relocations)).unwrap();
    let data = data_in(&image) as u32;
    let got = (data + 16).next_multiple_of(8);
    assert_eq!(double(&image, 0), BASE + u64::from(data) + 5);
    assert_eq!(word(&image, 8), data - 4 - 8);
    assert_eq!(word(&image, 12), data - 12);
    assert_eq!(word(&image, 16), got - 4 - 16);
    assert_eq!(word(&image, 20), got - 4 - 20, "both relocations use one word of the table");
    assert_eq!(double(&image, 24), u64::from(data) - 24);
    assert_eq!(double(&image, got as usize), BASE + u64::from(data));
    assert_eq!(image.len(), got as usize + 8);
}

#[track_caller]
fn refused(machine: Machine, object: &[u8], words: &str) {
    let error = link(machine, object).expect_err("it must be refused");
    assert!(error.message.contains(words), "{error}\n  lacks: {words}");
}

#[test]
fn relocations_that_are_unknown_outside_or_out_of_reach_are_refused() {
    let x86 = |relocation| object(Architecture::X86_64, &[0; 4], &[relocation]);
    refused(Machine::X86_64, &x86((0, elf::R_X86_64_TPOFF32, 0)), "relocation type 23 of x86-64 is not supported");
    refused(
        Machine::X86_64,
        &x86((13, elf::R_X86_64_PC32, 0)),
        "a relocation at byte 13 is outside its section of 16 bytes",
    );
    refused(Machine::X86_64, &x86((u64::MAX, elf::R_X86_64_64, 0)), "is outside its section");
    refused(Machine::X86_64, &x86((0, elf::R_X86_64_32, 0)), "does not reach its target");
    refused(Machine::X86_64, &x86((0, elf::R_X86_64_32S, 0)), "does not reach its target");
    refused(Machine::X86_64, &x86((0, elf::R_X86_64_PC32, i64::MAX)), "does not reach its target");
    let arm = |relocation| object(Architecture::Aarch64, &[0x9400_0000], &[relocation]);
    refused(Machine::Aarch64, &arm((0, elf::R_AARCH64_CALL26, 1 << 28)), "does not reach its target");
    refused(Machine::Aarch64, &arm((0, elf::R_AARCH64_CALL26, 1)), "does not reach its target");
    refused(Machine::Aarch64, &arm((0, elf::R_AARCH64_TLSGD_ADR_PAGE21, 0)), "of aarch64 is not supported");
}

#[test]
fn objects_of_another_machine_or_kind_are_named() {
    let arm = object(Architecture::Aarch64, &[0], &[]);
    refused(Machine::X86_64, &arm, "it is made for aarch64, this machine is x86-64");
    let riscv = object(Architecture::Riscv64, &[0], &[]);
    refused(Machine::X86_64, &riscv, "it is made for ELF machine 243, this one is x86-64");
    let mut linked = object(Architecture::X86_64, &[0], &[]);
    linked[16] = elf::ET_DYN as u8;
    refused(Machine::X86_64, &linked, "it is a linked file, not a relocatable object");
}

#[test]
fn an_entry_that_is_data_or_missing_is_refused() {
    let file = object(Architecture::X86_64, &[0], &[]);
    let entry = |name: &str| Plan::new(&file, name, Machine::X86_64).map(|_| ()).unwrap_err().message;
    assert!(entry("data").contains("its symbol 'data' is not a function"));
    assert!(entry("").contains("it defines no global function ''"));
}

#[test]
fn mutated_objects_of_both_machines_are_linked_or_refused_without_a_panic() {
    let arm = [(0, elf::R_AARCH64_ADR_GOT_PAGE, 0), (4, elf::R_AARCH64_CALL26, 4), (8, elf::R_AARCH64_ABS64, 1)];
    let x86 = [(0, elf::R_X86_64_64, 5), (8, elf::R_X86_64_GOTPCREL, -4), (12, elf::R_X86_64_PLT32, 0)];
    let objects = [
        (Machine::Aarch64, object(Architecture::Aarch64, &[0x9000_0000; 4], &arm)),
        (Machine::X86_64, object(Architecture::X86_64, &[0; 4], &x86)),
    ];
    for (machine, good) in objects {
        assert!(link(machine, &good).is_ok());
        // The test sets each byte, and each run of eight bytes, to the values that are most likely to break a reader of
        // headers.
        for at in 0..good.len() {
            for value in [0, 1, 2, 4, 0x10, 0x40, 0x7f, 0x80, 0xff] {
                for run in [1, 8] {
                    let mut bad = good.clone();
                    let end = bad.len().min(at + run);
                    bad[at..end].fill(value);
                    let _ = link(machine, &bad);
                }
            }
        }
    }
}
