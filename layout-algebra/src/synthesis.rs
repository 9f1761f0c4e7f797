//! Exhaustive search for the swizzle or padding with the fewest bank phases.
//!
//! The two families of candidates are small: a few hundred swizzles, and the row pitches within one bank cycle. The
//! search is therefore exhaustive, and its result is optimal within the family. A [`Certificate`] states the number
//! of candidates, the cost of each candidate in phases, and a lower bound for every arrangement of the tile. Readers
//! can verify the certificate.

use crate::access::{bank_conflicts, check_access, count};
use crate::error::{Error, Result};
use crate::swizzle::family;
use crate::{Composed, LIMIT, Layout, Mode, Swizzle};
use std::collections::BTreeMap;

/// One access of a plane to the tile: a writer, a reader, or a transposed reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPattern {
    /// The map from the thread to the tile index of the thread's first element.
    pub threads: Layout,
    /// Elements per thread: a power of two.
    pub vector: u64,
}

/// The memory layout of a tile, and the cost of its accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The map from the index in the tile to the element in memory.
    pub memory: Composed,
    /// Bank phases, added up over the accesses.
    pub phases: u64,
    /// The largest conflict degree of all accesses.
    pub degree: u64,
    /// Elements of memory that the tile occupies.
    pub elements: u64,
}

/// The proof of a search result: the searched candidates and their costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The rule that defines the family of candidates, as text.
    pub family: String,
    /// For each number of phases, the number of candidates that need this number of phases. The first key is
    /// the smallest cost.
    pub histogram: BTreeMap<u64, u64>,
    /// Number of candidates that the search excluded because they split or misalign an access.
    pub unusable: u64,
    /// The lower bound for every arrangement: one phase for each group of threads.
    pub bound: u64,
}

/// The best candidate of one family, with its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestCandidate {
    /// The best candidate: the fewest phases, then the least memory, then the lowest degree, then the simplest.
    pub best: Candidate,
    /// The proof.
    pub certificate: Certificate,
}

/// The result of the synthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synthesis {
    /// The input tile.
    pub bare: Candidate,
    /// The best swizzle, including the identity.
    pub swizzle: BestCandidate,
    /// The best padding of the slowest mode, including no padding. `None` for a tile of one mode.
    pub padding: Option<BestCandidate>,
}

impl Synthesis {
    /// The better of the two candidates: the one with fewer phases, then with less memory, then with the
    /// lower degree. If all three are equal, the result is the swizzle.
    pub fn best(&self) -> &BestCandidate {
        match &self.padding {
            Some(padding) if rank(&padding.best) < rank(&self.swizzle.best) => padding,
            _ => &self.swizzle,
        }
    }
}

fn rank(candidate: &Candidate) -> (u64, u64, u64) {
    (candidate.phases, candidate.elements, candidate.degree)
}

/// The limits of a tile, in elements, and of the number of accesses.
const MAX_ELEMENTS: u64 = 1 << 17;
const MAX_ACCESSES: usize = 64;

/// Number of bytes after which the sequence of banks repeats.
const CYCLE: u64 = 128;

/// Searches for the best swizzle and the best padding of a tile, given the tile's layout before swizzling.
///
/// # Errors
/// An access is not a single instruction, exceeds the tile, or is misaligned in the unswizzled tile. The tile is
/// too large, or the number of accesses is 0 or too large.
pub fn synthesize(tile: &Layout, element_bytes: u64, accesses: &[AccessPattern]) -> Result<Synthesis> {
    if tile.cosize() > MAX_ELEMENTS || accesses.is_empty() || accesses.len() > MAX_ACCESSES {
        return Err(Error::operand(format!(
            "the tile has {} elements and {} accesses; pass at most {MAX_ELEMENTS} elements and 1 to {MAX_ACCESSES} accesses",
            tile.cosize(),
            accesses.len()
        )));
    }
    let problem = Problem::new(tile, element_bytes, accesses)?;
    let bare = problem.candidate(tile, Swizzle::identity()).ok_or_else(|| misaligned(tile, accesses))?;
    Ok(Synthesis { swizzle: problem.swizzles(tile, &bare), padding: problem.paddings(tile, &bare), bare })
}

fn misaligned(tile: &Layout, accesses: &[AccessPattern]) -> Error {
    let widest = accesses.iter().map(|access| access.vector).max().unwrap_or(1);
    Error::operand(format!(
        "a thread does not start at a multiple of its {widest} elements in {tile}; use narrower accesses"
    ))
}

struct Problem {
    element_bytes: u64,
    /// For each access: its width, and the tile index at which each thread starts.
    accesses: Vec<(u64, Vec<u64>)>,
    bound: u64,
}

impl Problem {
    fn new(tile: &Layout, element_bytes: u64, accesses: &[AccessPattern]) -> Result<Problem> {
        let plain = Composed::new(Swizzle::identity(), 0, tile.clone())?;
        let mut problem = Problem { element_bytes, accesses: Vec::new(), bound: 0 };
        for access in accesses {
            check_access(element_bytes, access.vector)?;
            if !access.vector.is_power_of_two() {
                return Err(Error::operand(format!(
                    "an access has {} elements, which is not a power of two",
                    access.vector
                )));
            }
            // Also checks the ranges, and counts the groups of threads for the lower bound.
            problem.bound += bank_conflicts(&plain, &access.threads, element_bytes, access.vector)?.least;
            problem.accesses.push((access.vector, access.threads.table(MAX_ELEMENTS)?));
        }
        Ok(problem)
    }

    /// The cost of the accesses with the memory layout `memory`, or `None` if this layout splits or misaligns
    /// an access.
    fn candidate(&self, layout: &Layout, swizzle: Swizzle) -> Option<Candidate> {
        let memory = Composed::new(swizzle, 0, layout.clone()).ok()?;
        let (mut phases, mut degree) = (0, 0);
        let mut starts = Vec::new();
        for (vector, indices) in &self.accesses {
            if swizzle.bits() > 0 && *vector > 1 << swizzle.base() {
                return None;
            }
            starts.clear();
            for &index in indices {
                let element = memory.offset(index)?;
                if element % vector != 0 {
                    return None;
                }
                starts.push(element * self.element_bytes);
            }
            let report = count(&starts, vector * self.element_bytes);
            phases += report.phases;
            degree = degree.max(report.degree);
        }
        // The cosize is the exact size for plain layouts. The size of a swizzled layout is computed only if the
        // candidate can be the best.
        let elements = layout.cosize();
        Some(Candidate { memory, phases, degree, elements })
    }

    fn swizzles(&self, tile: &Layout, bare: &Candidate) -> BestCandidate {
        let bits = i64::from(64 - (tile.cosize() - 1).leading_zeros());
        let inside = |s: &Swizzle| s.period() <= 1 << bits;
        let all = std::iter::once(Swizzle::identity()).chain(family(bits.min(5), bits, bits).filter(inside));
        let family = format!("S<B,M,S> with B <= 5 and B+M+|S| <= {bits}, the bits of the tile's offsets");
        self.search(bare, family, all.map(|swizzle| (tile.clone(), swizzle)))
    }

    fn paddings(&self, tile: &Layout, bare: &Candidate) -> Option<BestCandidate> {
        let leaves = tile.leaves();
        let used = leaves.iter().filter(|leaf| leaf.extent > 1).count();
        let slowest = leaves.iter().filter(|leaf| leaf.extent > 1).map(|leaf| leaf.stride).max()?;
        if used < 2 {
            return None;
        }
        let cycle = CYCLE.div_ceil(self.element_bytes);
        let padded = (0..cycle).filter_map(|extra| {
            let nest = tile.nest().map(&mut |leaf| match leaf.stride == slowest && leaf.extent > 1 {
                true => Mode { stride: slowest + extra, ..*leaf },
                false => *leaf,
            });
            Layout::from_nest(nest).ok().filter(|layout| layout.cosize() <= LIMIT / CYCLE)
        });
        let family =
            format!("strides {slowest} to {} of the slowest mode, one cycle of the banks", slowest + cycle - 1);
        Some(self.search(bare, family, padded.map(|layout| (layout, Swizzle::identity()))))
    }

    /// Evaluates every candidate. The tile without swizzle and padding is the first candidate of every
    /// family.
    fn search(&self, bare: &Candidate, family: String, all: impl Iterator<Item = (Layout, Swizzle)>) -> BestCandidate {
        let mut best = bare.clone();
        let mut certificate = Certificate { family, histogram: BTreeMap::new(), unusable: 0, bound: self.bound };
        for (layout, swizzle) in all {
            let Some(mut candidate) = self.candidate(&layout, swizzle) else {
                certificate.unusable += 1;
                continue;
            };
            *certificate.histogram.entry(candidate.phases).or_default() += 1;
            if candidate.phases <= best.phases {
                candidate.elements = extent_in_memory(&candidate.memory).unwrap_or(candidate.elements);
            }
            if rank(&candidate) < rank(&best) {
                best = candidate;
            }
        }
        BestCandidate { best, certificate }
    }
}

/// One more than the largest swizzled offset.
fn extent_in_memory(memory: &Composed) -> Option<u64> {
    match memory.swizzle().bits() {
        0 => Some(memory.layout().cosize()),
        _ => Some(memory.table(MAX_ELEMENTS).ok()?.into_iter().max()? + 1),
    }
}

impl Certificate {
    /// Number of evaluated candidates, valid or not.
    pub fn examined(&self) -> u64 {
        self.histogram.values().sum::<u64>() + self.unusable
    }

    /// The fewest phases of any candidate.
    pub fn fewest(&self) -> u64 {
        self.histogram.keys().next().copied().unwrap_or(u64::MAX)
    }

    /// Whether the best candidate is optimal among all arrangements of the tile, not only in its family.
    pub fn reaches_bound(&self) -> bool {
        self.fewest() == self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::{AccessPattern, synthesize};
    use crate::access::bank_conflicts;
    use crate::{Composed, Layout, Swizzle};

    fn access(threads: &str, vector: u64) -> AccessPattern {
        AccessPattern { threads: threads.parse().unwrap(), vector }
    }

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn a_square_tile_written_by_rows_and_read_by_columns() {
        let tile = layout("(32,32):(32,1)");
        let found = synthesize(&tile, 4, &[access("32:32", 1), access("32:1", 1)]).unwrap();
        assert_eq!(found.bare.phases, 33);
        assert_eq!((found.swizzle.best.phases, found.swizzle.certificate.bound), (2, 2));
        assert_eq!(found.swizzle.best.elements, 1024);
        assert_eq!(found.swizzle.best.memory.swizzle().to_string(), "S<5,0,5>");
        let padding = found.padding.as_ref().unwrap();
        assert_eq!(padding.best.memory.layout(), &layout("(32,32):(33,1)"));
        assert!(padding.certificate.reaches_bound());
        assert_eq!(padding.certificate.examined(), 32);
        assert_eq!(found.best(), &found.swizzle, "the padding costs memory");
    }

    #[test]
    fn synthesized_swizzle_is_optimal_among_all_swizzles() {
        let tile = layout("(16,64):(64,1)");
        let accesses = [access("(8,4):(1,128)", 8), access("(4,8):(256,1)", 2)];
        let found = synthesize(&tile, 2, &accesses).unwrap();
        let mut usable = 0;
        for bits in 1..=5i64 {
            for base in 3..=10 {
                for shift in -10..=10 {
                    let Ok(swizzle) = Swizzle::new(bits, base, shift) else { continue };
                    if swizzle.period() > 1024 {
                        continue;
                    }
                    usable += 1;
                    let memory = Composed::new(swizzle, 0, tile.clone()).unwrap();
                    let cost = |a: &AccessPattern| bank_conflicts(&memory, &a.threads, 2, a.vector).unwrap().phases;
                    assert!(accesses.iter().map(cost).sum::<u64>() >= found.swizzle.best.phases, "{swizzle}");
                }
            }
        }
        assert_eq!(found.swizzle.certificate.histogram.values().sum::<u64>(), usable + 1);
    }

    #[test]
    fn pitch_of_48_elements_is_padded_to_49() {
        let tile = layout("(32,48):(48,1)");
        let found = synthesize(&tile, 4, &[access("32:32", 1), access("32:1", 1)]).unwrap();
        assert!(found.bare.phases > 2);
        let padding = found.padding.as_ref().unwrap();
        assert_eq!(padding.best.phases, 2);
        assert_eq!(padding.best.memory.layout(), &layout("(32,48):(49,1)"));
    }

    #[test]
    fn invalid_synthesis_problem_is_rejected() {
        let message =
            |tile: &str, accesses: &[AccessPattern]| synthesize(&layout(tile), 4, accesses).unwrap_err().message;
        assert!(message("(32,32):(32,1)", &[]).contains("0 accesses"));
        assert!(message("(32,32):(33,1)", &[access("32:1", 4)]).contains("use narrower accesses"));
        assert!(message("(32,32):(32,1)", &[access("32:1", 3)]).contains("not a power of two"));
        assert!(message("(32,32):(32,1)", &[access("32:34", 1)]).contains("outside"));
    }
}
