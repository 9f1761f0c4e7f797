//! Code objects and the chips that run them.

/// The processor in HIP's name of a chip, for example `gfx90a` in `gfx90a:sramecc+:xnack-`.
pub(crate) fn processor(arch: &str) -> &str {
    arch.split(':').next().unwrap_or(arch)
}

/// Whether a device runs code for a chip. A code object runs only on the processor for which it was compiled. The name
/// of a chip can end in the plane width of the code. `None` for an unknown name.
pub(crate) fn runs(device: &str, code: &str) -> Option<bool> {
    let code = code.split('-').next().unwrap_or(code);
    let digits = code.strip_prefix("gfx")?;
    let known = digits.len() >= 3 && digits.chars().all(|c| c.is_ascii_hexdigit());
    known.then(|| processor(device) == code)
}

/// Offsets in the header of a 64-bit ELF file.
const MACHINE: usize = 18;
const SEGMENTS: usize = 32;
const SECTIONS: usize = 40;
const FLAGS: usize = 48;
const SEGMENT_BYTES: usize = 54;
const SECTION_BYTES: usize = 58;

/// Checks the header of a code object before HIP's library reads the code object. The code object must be complete, and
/// its flags must name the processor `device`. If `device` is `None`, the function does not compare processors.
///
/// # Errors
/// The reason why the device cannot run the code.
pub(crate) fn check(code: &[u8], device: Option<u8>) -> Result<(), String> {
    // ELF, 64 bits, little endian, version 1, ABI of HSA (LLVM, "User Guide for AMDGPU Backend", "Header").
    const START: [u8; 8] = *b"\x7fELF\x02\x01\x01\x40";
    const AMDGPU: u64 = 224;
    let half = |at: usize| Some(u64::from(u16::from_le_bytes(code.get(at..at + 2)?.try_into().ok()?)));
    if !code.starts_with(&START) || half(MACHINE) != Some(AMDGPU) {
        return Err("it is not a code object of an AMD GPU".into());
    }
    complete(code).ok_or("the code object ends before its last section")?;
    let Some(&own) = code.get(FLAGS) else { return Err("the code object has no flags".into()) };
    match device {
        Some(device) if device != own => {
            let name = |machine| match cube_target::amdgpu_processor(machine) {
                Some(processor) => processor.to_string(),
                None => format!("processor {machine:#x}"),
            };
            Err(format!("the code object is for {}, and the device is {}", name(own), name(device)))
        }
        _ => Ok(()),
    }
}

/// Whether the tables and the segments of an ELF file are inside the file; `None` if they are not.
fn complete(code: &[u8]) -> Option<()> {
    let word = |at: usize| Some(u64::from_le_bytes(code.get(at..at.checked_add(8)?)?.try_into().ok()?));
    let half = |at: usize| Some(u64::from(u16::from_le_bytes(code.get(at..at + 2)?.try_into().ok()?)));
    let inside = |from: u64, bytes: u64| (from.checked_add(bytes)? <= code.len() as u64).then_some(());
    for (table, size, bytes) in [(SEGMENTS, SEGMENT_BYTES, 56), (SECTIONS, SECTION_BYTES, 64)] {
        // The number of entries follows the size of an entry.
        let (at, size, count) = (word(table)?, half(size)?, half(size + 2)?);
        if count > 0 && size != bytes {
            return None;
        }
        inside(at, size * count)?;
    }
    for number in 0..half(SEGMENT_BYTES + 2)? {
        let at = (word(SEGMENTS)? + number * half(SEGMENT_BYTES)?) as usize;
        inside(word(at + 8)?, word(at + 32)?)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{check, processor, runs};

    /// A code object with one segment that is the whole file, and without sections.
    fn code_object(machine: u8) -> Vec<u8> {
        let mut code = vec![0; 120];
        code[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x40");
        for (at, byte) in [(18, 224), (32, 64), (48, machine), (54, 56), (56, 1), (64 + 32, 120)] {
            code[at] = byte;
        }
        code
    }

    #[test]
    fn the_flags_of_a_code_object_name_its_processor() {
        assert_eq!(check(&code_object(0x4c), Some(0x4c)), Ok(()));
        assert_eq!(check(&code_object(0x41), None), Ok(()));
        let other = check(&code_object(0x41), Some(0x4c));
        assert_eq!(other, Err("the code object is for gfx1100, and the device is gfx942".into()));
        let unknown = check(&code_object(0xfe), Some(0x4c));
        assert_eq!(unknown, Err("the code object is for processor 0xfe, and the device is gfx942".into()));
    }

    #[test]
    fn a_damaged_code_object_is_refused() {
        let good = code_object(0x4c);
        for bytes in 0..good.len() {
            assert!(check(&good[..bytes], Some(0x4c)).is_err(), "{bytes} bytes");
        }
        // Each byte of the identification, the machine, and the places and sizes of the tables.
        let read = (0..8).chain([18, 19]).chain(32..49).chain(54..62).chain(72..80).chain(96..104);
        for at in read {
            let mut bad = good.clone();
            bad[at] ^= 0x80;
            // In a file without sections, the size of a section header can have any value.
            assert!(check(&bad, Some(0x4c)).is_err() || (58..60).contains(&at), "byte {at}");
        }
    }

    #[test]
    fn code_runs_only_on_its_processor() {
        assert_eq!(processor("gfx90a:sramecc+:xnack-"), "gfx90a");
        assert_eq!(runs("gfx90a:sramecc+:xnack-", "gfx90a"), Some(true));
        assert_eq!(runs("gfx1100", "gfx1100-wave64"), Some(true));
        assert_eq!(runs("gfx1100", "gfx1101"), Some(false));
        assert_eq!(runs("gfx942", "gfx90a"), Some(false));
        for chip in ["", "gfx", "sm_90a", "gfx9x0", "native"] {
            assert_eq!(runs("gfx942", chip), None, "{chip}");
        }
    }
}
