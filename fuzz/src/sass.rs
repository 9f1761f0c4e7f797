//! Counts the machine instructions of a cubin, the ELF file of a kernel for an NVIDIA GPU. The file format is 64-bit
//! ELF (System V ABI). Since compute capability 7.0, an instruction has 16 bytes, and its lower 12 bits contain the
//! operation.

use std::path::PathBuf;
use std::process::Command;

/// Compiles PTX with NVIDIA's `ptxas`, which needs no GPU. The variable `CUBE_PTXAS` names the program; otherwise the
/// function uses `ptxas` of `PATH`. Returns the cubin.
///
/// # Errors
/// The program does not exist, or its messages.
pub fn compile(ptx: &[u8], chip: &str) -> Result<Vec<u8>, String> {
    let program = std::env::var_os("CUBE_PTXAS").map_or_else(|| PathBuf::from("ptxas"), PathBuf::from);
    let file = |ending: &str| std::env::temp_dir().join(format!("cube-{}-{chip}.{ending}", std::process::id()));
    let (from, to) = (file("ptx"), file("cubin"));
    std::fs::write(&from, ptx).map_err(|why| format!("{}: {why}", from.display()))?;
    let run = Command::new(&program).args(["-O3", "-arch", chip, "-o"]).arg(&to).arg(&from).output();
    let code = std::fs::read(&to);
    let _ = (std::fs::remove_file(&from), std::fs::remove_file(&to));
    let run = run.map_err(|why| format!("{}: {why}; CUBE_PTXAS can name ptxas of CUDA", program.display()))?;
    if !run.status.success() {
        return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&run.stderr)));
    }
    code.map_err(|why| format!("{}: {why}", to.display()))
}

/// Bytes of an instruction.
const BYTES: usize = 16;

/// The operation of `NOP`, which fills a section up to a multiple of 128 bytes.
const NOP: u16 = 0x918;

/// The number of instructions in all sections whose names begin with `.text.`, without the `NOP`s at the end of each
/// section. `None` if the bytes are not those of an ELF file, or if no section has code.
pub fn instructions(cubin: &[u8]) -> Option<usize> {
    let number = |at: usize, bytes: usize| {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(cubin.get(at..at.checked_add(bytes)?)?);
        usize::try_from(u64::from_le_bytes(value)).ok()
    };
    if !cubin.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (headers, size, count, names) = (number(40, 8)?, number(58, 2)?, number(60, 2)?, number(62, 2)?);
    // The place of the header of a section.
    let header = |index: usize| headers.checked_add(index.checked_mul(size)?);
    let contents = |at: usize| {
        let from = number(at.checked_add(24)?, 8)?;
        cubin.get(from..from.checked_add(number(at + 32, 8)?)?)
    };
    let names = contents(header(names)?)?;
    let mut all = 0;
    for index in 0..count {
        let at = header(index)?;
        if names.get(number(at, 4)?..)?.starts_with(b".text.") {
            let code: Vec<&[u8]> = contents(at)?.chunks_exact(BYTES).collect();
            let is_nop = |code: &&[u8]| u16::from_le_bytes([code[0], code[1]]) & 0xfff == NOP;
            all += code.len() - code.iter().rev().take_while(|code| is_nop(code)).count();
        }
    }
    (all > 0).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    // An ELF file with a section of names, a section of code, and a section of other bytes.
    fn file(code: &[u16]) -> Vec<u8> {
        let names = b"\0.text.k\0.data\0";
        let code: Vec<u8> = code.iter().flat_map(|low| [&low.to_le_bytes()[..], &[0; BYTES - 2]].concat()).collect();
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        let headers = 64 + names.len() + code.len();
        file[40..48].copy_from_slice(&(headers as u64).to_le_bytes());
        file[58..64].copy_from_slice(&[64, 0, 3, 0, 0, 0]);
        file.extend_from_slice(names);
        file.extend_from_slice(&code);
        for (name, from, bytes) in [(0u32, 64, names.len()), (1, 64 + names.len(), code.len()), (9, 64, 15)] {
            let mut header = [0; 64];
            header[..4].copy_from_slice(&name.to_le_bytes());
            header[24..32].copy_from_slice(&(from as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(bytes as u64).to_le_bytes());
            file.extend_from_slice(&header);
        }
        file
    }

    #[test]
    fn instructions_are_counted_without_the_fill() {
        // IADD3, NOP between instructions, EXIT, BRA, and the fill.
        let file = file(&[0x7210, 0x7918, 0x794d, 0x7947, 0x7918, 0x7918]);
        assert_eq!(instructions(&file), Some(4));
        assert_eq!(instructions(b"PTX"), None);
        // The last header is that of other bytes.
        (0..file.len() - 64).for_each(|bytes| assert_eq!(instructions(&file[..bytes]), None, "{bytes} bytes"));
    }
}
