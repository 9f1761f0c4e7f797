//! Bank conflicts of shared memory with 32 banks of 4 bytes.
//!
//! The model follows NVIDIA's CUDA C++ Programming Guide (shared memory, compute capability 5 and later). Words of 4
//! bytes are distributed over 32 banks. A request is served in phases of 32, 16 or 8 threads for up to 4, 8 or 16 bytes
//! per thread. Within a phase, accesses to different words of one bank are served one after the other.

use super::{MAX_ACCESS_BYTES, MAX_PAIRS, PLANE_DIM};
use crate::error::{Error, Result};
use crate::{Composed, Layout};

/// Number of banks, and bytes of a bank word.
const BANKS: u64 = 32;
const WORD: u64 = 4;

/// Bank conflicts of one access of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankReport {
    /// The conflict degree: the maximum number of different words of one bank in one phase. A degree of 1
    /// means no conflict.
    pub degree: u64,
    /// The sum of the degrees over all phases, which is the number of memory cycles.
    pub phases: u64,
    /// The number of phases in which the memory serves the threads. Without bank conflicts, this number
    /// equals [`BankReport::phases`].
    pub least: u64,
}

/// Counts the bank conflicts if thread `t` accesses `vector` elements starting at `memory(threads(t))`.
///
/// # Errors
/// The access is wider than 16 bytes or empty, a thread accesses an index outside the memory's layout, or there are too
/// many threads.
pub fn bank_conflicts(memory: &Composed, threads: &Layout, element_bytes: u64, vector: u64) -> Result<BankReport> {
    let starts = starts(memory, threads, element_bytes, vector)?;
    Ok(count(&starts, element_bytes * vector))
}

/// The numbers of the words that each thread accesses, for drawings of the conflicts.
///
/// # Errors
/// Fails like [`bank_conflicts`].
pub fn bank_words(memory: &Composed, threads: &Layout, element_bytes: u64, vector: u64) -> Result<Vec<Vec<u64>>> {
    let starts = starts(memory, threads, element_bytes, vector)?;
    Ok(starts.iter().map(|&byte| words(byte, element_bytes * vector).collect()).collect())
}

/// The number of threads in one phase for accesses of `bytes` per thread.
pub(crate) fn phase_threads(bytes: u64) -> usize {
    match bytes {
        0..=4 => PLANE_DIM as usize,
        5..=8 => PLANE_DIM as usize / 2,
        _ => PLANE_DIM as usize / 4,
    }
}

/// The offset of the first byte that each thread accesses.
pub(crate) fn starts(memory: &Composed, threads: &Layout, element_bytes: u64, vector: u64) -> Result<Vec<u64>> {
    check_access(element_bytes, vector)?;
    let table = threads.table(MAX_PAIRS)?;
    table
        .iter()
        .map(|&index| {
            let element = memory.offset(index).ok_or_else(|| {
                Error::operand(format!("threads {threads} reach index {index}, outside {}", memory.layout()))
            })?;
            element.checked_mul(element_bytes).filter(|&byte| byte <= crate::LIMIT - MAX_ACCESS_BYTES).ok_or_else(
                || Error::overflow(format!("element {element} of {element_bytes} bytes exceeds 2^63 bytes")),
            )
        })
        .collect()
}

pub(crate) fn check_access(element_bytes: u64, vector: u64) -> Result<()> {
    match element_bytes.checked_mul(vector) {
        Some(1..=MAX_ACCESS_BYTES) => Ok(()),
        _ => Err(Error::operand(format!(
            "an access of {vector} elements of {element_bytes} bytes; one instruction moves 1 to {MAX_ACCESS_BYTES} bytes"
        ))),
    }
}

fn words(byte: u64, bytes: u64) -> impl Iterator<Item = u64> {
    byte / WORD..=(byte + bytes - 1) / WORD
}

/// The report for accesses of `bytes` per thread, at most 16. `starts` has the first byte of each thread.
pub fn touched_banks(starts: &[u64], bytes: u64) -> BankReport {
    count(starts, bytes.clamp(1, super::MAX_ACCESS_BYTES))
}

/// The report for threads whose accesses start at the given byte offsets.
pub(crate) fn count(starts: &[u64], bytes: u64) -> BankReport {
    let mut report = BankReport { degree: 0, phases: 0, least: 0 };
    let mut touched = Vec::with_capacity(4 * PLANE_DIM as usize);
    for phase in starts.chunks(phase_threads(bytes)) {
        touched.clear();
        touched.extend(phase.iter().flat_map(|&byte| words(byte, bytes)));
        touched.sort_unstable();
        touched.dedup();
        let mut in_bank = [0u64; BANKS as usize];
        touched.iter().for_each(|word| in_bank[(word % BANKS) as usize] += 1);
        let degree = in_bank.into_iter().max().unwrap_or(0);
        report.degree = report.degree.max(degree);
        report.phases += degree;
        report.least += 1;
    }
    report
}

#[cfg(test)]
mod tests {
    use super::{BankReport, bank_conflicts, bank_words};
    use crate::{Composed, Layout, Swizzle};

    fn plain(text: &str) -> Composed {
        Composed::new(Swizzle::identity(), 0, text.parse().unwrap()).unwrap()
    }

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn a_column_of_a_32_wide_tile_hits_one_bank() {
        let tile = plain("(32,32):(32,1)");
        let column = bank_conflicts(&tile, &layout("32:1"), 4, 1).unwrap();
        assert_eq!(column, BankReport { degree: 32, phases: 32, least: 1 });
        let row = bank_conflicts(&tile, &layout("32:32"), 4, 1).unwrap();
        assert_eq!(row, BankReport { degree: 1, phases: 1, least: 1 });
        let padded = bank_conflicts(&plain("(32,32):(33,1)"), &layout("32:1"), 4, 1).unwrap();
        assert_eq!(padded.degree, 1);
    }

    #[test]
    fn wide_accesses_run_in_phases_and_the_usual_swizzle_frees_them() {
        let rows = layout("(8,4):(1,64)");
        let bare = bank_conflicts(&plain("(8,128):(128,1)"), &layout("(8,4):(1,64)"), 2, 8).unwrap();
        assert_eq!((bare.degree, bare.least), (8, 4));
        let swizzled = Composed::new("S<3,3,4>".parse().unwrap(), 0, layout("(8,128):(128,1)")).unwrap();
        assert_eq!(bank_conflicts(&swizzled, &rows, 2, 8).unwrap().degree, 1);
        assert_eq!(bank_words(&swizzled, &rows, 2, 8).unwrap()[1], [68, 69, 70, 71]);
    }

    #[test]
    fn impossible_accesses_are_rejected() {
        let tile = plain("(8,4):(4,1)");
        let message = |t: &str, bytes, vector| bank_conflicts(&tile, &layout(t), bytes, vector).unwrap_err().message;
        assert!(message("32:1", 4, 8).contains("one instruction moves 1 to 16 bytes"));
        assert!(message("32:1", 0, 1).contains("one instruction moves 1 to 16 bytes"));
        assert!(message("32:2", 4, 1).contains("reach index 32, outside (8,4):(4,1)"));
        let far = plain("2:4611686018427387904");
        let error = bank_conflicts(&far, &layout("2:1"), 4, 1).unwrap_err();
        assert!(error.message.contains("exceeds 2^63 bytes"), "{}", error.message);
    }
}
