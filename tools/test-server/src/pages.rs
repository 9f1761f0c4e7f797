//! Memory of the server that its child processes share without page faults.
//!
//! A child process has no page tables for the files that are mapped in the server. Each child would therefore have a page
//! fault for each 64 KiB of LLVM, MLIR and `cube` that it executes or reads. Anonymous memory in pages of 2 MiB has one
//! entry per page, and a child process receives the entries when it is created.

use std::ffi::c_void;
use std::path::Path;

/// The size of a huge page on x86-64 and on AArch64 with pages of 4 KiB.
const HUGE: usize = 2 << 20;

/// Replaces the code and the constants of some mapped files by copies in anonymous memory with huge pages, at the same
/// addresses: of this program, and of the libraries whose names begin with one of `libraries`. Memory that the system
/// refuses stays as it is, because only the speed depends on it. Returns the number of replaced bytes.
///
/// This process must have no other thread.
pub fn copy_mapped_files(libraries: &[&str]) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default();
    let is_chosen = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file == program || libraries.iter().any(|library| name.starts_with(library))
    };
    let ranges = maps.lines().filter_map(|line| constant_range(line, is_chosen));
    ranges.filter(replace).map(|range| range.end - range.start).sum()
}

/// A part of a mapped file that no process writes, in whole huge pages.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    start: usize,
    end: usize,
    /// Whether the part contains code.
    executable: bool,
}

/// The range in a line of `/proc/self/maps`; `None` for memory that is writable, shared, small or not of a chosen file.
fn constant_range(line: &str, is_chosen: impl Fn(&Path) -> bool) -> Option<Range> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let executable = match words.next()? {
        "r-xp" => true,
        "r--p" => false,
        _ => return None,
    };
    // The path follows the offset, the device and the inode.
    is_chosen(Path::new(words.nth(3)?)).then_some(())?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let (start, end) = (address(start)?.next_multiple_of(HUGE), address(end)? / HUGE * HUGE);
    (start < end).then_some(Range { start, end, executable })
}

/// Replaces one range; returns whether the replacement succeeded.
fn replace(range: &Range) -> bool {
    let length = range.end - range.start;
    let prot = libc::PROT_READ | if range.executable { libc::PROT_EXEC } else { 0 };
    let (private, writable) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: the range is mapped and readable, and this process has one thread, which writes no constants. The copy has the
    // length of the range and does not overlap it. `mremap` replaces the range in one step by equal bytes, so that the
    // code that runs continues.
    unsafe {
        let space = libc::mmap(std::ptr::null_mut(), length + HUGE, writable, private, -1, 0);
        if space == libc::MAP_FAILED {
            return false;
        }
        let skip = (space as usize).next_multiple_of(HUGE) - space as usize;
        let copy = space.cast::<u8>().add(skip);
        libc::madvise(copy.cast(), length, libc::MADV_HUGEPAGE);
        std::ptr::copy_nonoverlapping(range.start as *const u8, copy, length);
        let fixed = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let moved = libc::mprotect(copy.cast(), length, prot) == 0
            && libc::mremap(copy.cast(), length, length, fixed, range.start as *mut c_void) != libc::MAP_FAILED;
        if !moved {
            libc::munmap(copy.cast(), length);
        }
        // The parts before and behind the copy are not used.
        for (part, length) in [(space.cast(), skip), (copy.add(length), HUGE - skip)] {
            if length > 0 {
                libc::munmap(part.cast(), length);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn only_whole_huge_pages_of_constants_of_chosen_files_are_replaced() {
        let range = |executable| Some(Range { start: 0x7f00_0040_0000, end: 0x7f00_0080_0000, executable });
        let line = |mode: &str, end: &str, name: &str| {
            let line = format!("7f0000201000-7f0000{end} {mode} 00001000 fe:00 12345      {name}");
            constant_range(&line, |file| file == Path::new("/usr/lib/libLLVM.so"))
        };
        assert_eq!(line("r-xp", "801000", "/usr/lib/libLLVM.so"), range(true));
        assert_eq!(line("r--p", "9ff000", "/usr/lib/libLLVM.so"), range(false));
        for (mode, end, name) in [
            ("rw-p", "801000", "/usr/lib/libLLVM.so"),
            ("r-xs", "801000", "/usr/lib/libLLVM.so"),
            ("r-xp", "5ff000", "/usr/lib/libLLVM.so"),
            ("r-xp", "801000", "/usr/lib/libz3.so"),
            ("r-xp", "801000", "[vdso]"),
            ("r-xp", "801000", ""),
        ] {
            assert_eq!(line(mode, end, name), None, "{mode} {end} {name}");
        }
    }

    #[test]
    fn replaced_memory_has_the_bytes_of_the_file_and_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("constants");
        let bytes: Vec<u8> = (0..4 * HUGE).map(|at| (at / 7) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        // SAFETY: a new mapping, which no other code knows.
        let mapped = unsafe {
            let (length, private) = (bytes.len(), libc::MAP_PRIVATE);
            let at = libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, private, file.as_raw_fd(), 0);
            assert_ne!(at, libc::MAP_FAILED);
            std::slice::from_raw_parts(at.cast::<u8>(), length)
        };
        let lines = || std::fs::read_to_string("/proc/self/maps").unwrap();
        let of_file = |lines: &str| lines.lines().find_map(|line| constant_range(line, |file| file == path));
        let range = of_file(&lines()).unwrap();
        assert!(range.end - range.start >= 3 * HUGE, "{range:?}");
        assert!(replace(&range));
        assert_eq!(of_file(&lines()), None);
        assert!(mapped == bytes, "the bytes differ");
    }
}
