//! Coalescing in global memory, which fetches complete sectors of 32 bytes.
//!
//! Source of the sector size: NVIDIA's CUDA C++ Best Practices Guide, coalesced access to global memory.

use super::{MAX_ACCESS_BYTES, MAX_PAIRS, PLANE_DIM};
use crate::Layout;
use crate::error::{Error, Result};

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Memory sectors that the accesses of a thread-value layout touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalReport {
    /// The maximum number of elements that one instruction moves per thread. The number of elements is a power of
    /// two, and these elements occupy at most 16 bytes. For every thread, every aligned group of `vector` values
    /// must be contiguous and aligned in memory.
    pub vector: u64,
    /// Accessed sectors, added up over all instructions of all planes.
    pub sectors: u64,
    /// The minimum number of sectors: the number if the bytes of each instruction were contiguous.
    pub ideal: u64,
    /// The number of sectors that the first instruction of the first plane accesses.
    pub first: u64,
}

/// Counts the sectors of the accesses `memory(tv(thread, value))`; the base is assumed to be 16-byte aligned.
///
/// # Errors
/// `tv` does not have rank 2, reaches an index outside `memory`, or is too large. An element of less than 1 or more
/// than 16 bytes is also an error.
pub fn global_access(memory: &Layout, tv: &Layout, element_bytes: u64) -> Result<GlobalReport> {
    if tv.rank() != 2 || tv.depth() == 0 {
        return Err(Error::operand(format!("{tv} is not a thread-value layout: it has rank {}, not 2", tv.rank())));
    }
    if !(1..=MAX_ACCESS_BYTES).contains(&element_bytes) {
        return Err(Error::operand(format!(
            "elements of {element_bytes} bytes; an element has 1 to {MAX_ACCESS_BYTES}"
        )));
    }
    let threads = tv.mode(0)?.size() as usize;
    let offsets: Vec<u64> =
        tv.table(MAX_PAIRS)?.iter().map(|&index| element(memory, tv, index)).collect::<Result<_>>()?;
    if offsets.iter().any(|&offset| offset > (crate::LIMIT - MAX_ACCESS_BYTES) / element_bytes) {
        return Err(Error::overflow(format!("{memory} in elements of {element_bytes} bytes exceeds 2^63 bytes")));
    }
    let values = offsets.len() / threads;
    let vector = widest(&offsets, threads, values, element_bytes);
    let mut report = GlobalReport { vector, sectors: 0, ideal: 0, first: 0 };
    for plane in (0..threads).step_by(PLANE_DIM as usize) {
        let lanes = plane..threads.min(plane + PLANE_DIM as usize);
        for value in (0..values).step_by(vector as usize) {
            let starts: Vec<u64> =
                lanes.clone().map(|thread| offsets[thread + threads * value] * element_bytes).collect();
            let (touched, packed) = touched_sectors(&starts, vector * element_bytes);
            if plane == 0 && value == 0 {
                report.first = touched;
            }
            report.sectors += touched;
            report.ideal += packed;
        }
    }
    Ok(report)
}

/// The number of sectors that one instruction of `bytes` per thread accesses, and the number for the same number of
/// contiguous bytes. `starts` has the first byte of each thread.
pub fn touched_sectors(starts: &[u64], bytes: u64) -> (u64, u64) {
    let mut touched: Vec<u64> =
        starts.iter().flat_map(|first| first / SECTOR..=first.saturating_add(bytes.max(1) - 1) / SECTOR).collect();
    touched.sort_unstable();
    touched.dedup();
    (touched.len() as u64, (starts.len() as u64 * bytes).div_ceil(SECTOR))
}

fn element(memory: &Layout, tv: &Layout, index: u64) -> Result<u64> {
    memory.offset(index).ok_or_else(|| Error::operand(format!("{tv} reaches index {index}, outside {memory}")))
}

fn widest(offsets: &[u64], threads: usize, values: usize, element_bytes: u64) -> u64 {
    let fits = |&vector: &u64| {
        let width = vector as usize;
        values.is_multiple_of(width)
            && (0..values).all(|value| {
                let row = &offsets[threads * value..threads * (value + 1)];
                match value % width {
                    0 => row.iter().all(|offset| offset % vector == 0),
                    _ => row.iter().zip(&offsets[threads * (value - 1)..]).all(|(here, before)| *here == before + 1),
                }
            })
    };
    [16, 8, 4, 2].into_iter().filter(|vector| vector * element_bytes <= MAX_ACCESS_BYTES).find(fits).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::{GlobalReport, global_access};
    use crate::Layout;

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn the_article_s_kernel_moves_sixteen_bytes_a_thread() {
        let report =
            global_access(&layout("(16,256):(2048,1)"), &layout("((32,4),(8,4)):((128,4),(16,1))"), 2).unwrap();
        assert_eq!(report, GlobalReport { vector: 8, sectors: 256, ideal: 256, first: 16 });
    }

    #[test]
    fn a_pitch_that_is_odd_costs_width_and_sectors() {
        let report = global_access(&layout("(2,8):(17,1)"), &layout("((8,2),1):((2,1),2)"), 4).unwrap();
        assert_eq!(report, GlobalReport { vector: 1, sectors: 3, ideal: 2, first: 3 });
    }

    #[test]
    fn invalid_global_access_is_rejected() {
        let error = |a: &str, tv: &str, bytes| global_access(&layout(a), &layout(tv), bytes).unwrap_err().message;
        assert!(error("8:1", "8:1", 4).contains("8:1 is not a thread-value layout"));
        assert!(error("8:1", "(8,2):(1,8)", 4).contains("reaches index 8, outside 8:1"));
        assert!(error("8:1", "(8,1):(1,8)", 32).contains("an element has 1 to 16"));
        assert!(error("2:4611686018427387904", "(2,1):(1,0)", 4).contains("exceeds 2^63 bytes"));
    }
}
