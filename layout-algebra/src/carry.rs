//! The carry theorem: the condition under which a layout is additive on a set of indices. The exact composition of
//! layouts uses this theorem.
//!
//! Let `A` be coalesced with extents `a_1..a_r`, strides `d_1..d_r` and boundaries `P_i = a_1*...*a_i`. Digit `i` of an
//! index `j` is `floor(j/P_{i-1}) - a_i*floor(j/P_i)`. Inside the domain, the layout is therefore given by the
//! following formula.
//!
//! ```text
//! A(j) = d_1*j + sum over i<r of (d_{i+1} - a_i*d_i) * floor(j/P_i)
//! ```
//!
//! The coefficient `bracket_i = d_{i+1} - a_i*d_i` is never zero, because coalescing would otherwise have combined
//! the two modes. On a box of digits `x_k < m_k` with steps `t_k`, the following sum is the difference between
//! `A(sum t_k*x_k)` and `sum A(t_k)*x_k`.
//!
//! ```text
//! sum over i of bracket_i * w_i(x),   w_i(x) = floor( sum_k (t_k mod P_i)*x_k / P_i )
//! ```
//!
//! `w_i` counts the carries over boundary `i`. If no boundary carries at the far corner of the box, no boundary carries
//! anywhere. If no boundary carries, the composition is the layout with strides `A(t_k)`. If exactly one boundary
//! carries, the composition is not a layout, and the wrong offset at the corner is the proof. Carries at several
//! boundaries can cancel each other, so the algorithm then searches the box.

use crate::layout::Mode;

/// A coalesced layout with its boundaries, for repeated evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Radix {
    modes: Vec<Mode>,
    /// `bounds[i]` is the product of the extents up to and including mode `i`.
    bounds: Vec<u64>,
}

/// The result of the search for a run of equal steps.
pub(crate) enum Run {
    /// The offsets of all `count` indices have equal steps.
    Whole,
    /// The smallest `x` whose offset breaks the sequence of equal steps; this is also the number of offsets
    /// before the break.
    Breaks(u64),
    /// The search ended without a result.
    Unknown,
}

/// Maximum number of carries or corners that a search examines.
pub(crate) const BUDGET: u64 = 1 << 18;

impl Radix {
    /// Prepares the coalesced modes `modes` for evaluation.
    pub(crate) fn new(modes: Vec<Mode>) -> Radix {
        let mut product = 1;
        let bounds = modes
            .iter()
            .map(|mode| {
                product *= mode.extent;
                product
            })
            .collect();
        Radix { modes, bounds }
    }

    /// The number of indices.
    pub(crate) fn size(&self) -> u64 {
        self.bounds.last().copied().unwrap_or(1)
    }

    /// The boundaries between two modes: all boundaries except the last, which is the size.
    pub(crate) fn inner(&self) -> &[u64] {
        &self.bounds[..self.bounds.len().saturating_sub(1)]
    }

    /// The offset of an index, or `None` if the index is outside the domain.
    pub(crate) fn offset(&self, index: u64) -> Option<u64> {
        let (mut rest, mut offset) = (index, 0);
        for mode in &self.modes {
            offset += (rest % mode.extent) * mode.stride;
            rest /= mode.extent;
        }
        (rest == 0).then_some(offset)
    }

    /// Searches for the smallest `x < count` at which `A(step*x)` does not continue the step between the first two
    /// values. `step * (count - 1)` must be inside the domain.
    pub(crate) fn first_break(&self, step: u64, count: u64) -> Run {
        let mut start = 1;
        for _ in 0..BUDGET {
            // The next x at which a boundary carries once more: r*x reaches the first multiple of P above
            // r*(start - 1).
            let next = self.inner().iter().filter_map(|&bound| {
                let residue = step % bound;
                // w(x) counts the multiples of P up to r*x. r*x <= step*x is inside the domain for x < count.
                let carries = residue * (start - 1) / bound;
                (residue > 0).then(|| ((carries + 1) as u128 * bound as u128).div_ceil(residue as u128))
            });
            let Some(next) = next.min().filter(|&x| x < count as u128) else {
                return Run::Whole;
            };
            let next = next as u64;
            let expected = self.offset(step).and_then(|stride| stride.checked_mul(next));
            if expected.is_none() || self.offset(step * next) != expected {
                return Run::Breaks(next);
            }
            start = next + 1;
        }
        Run::Unknown
    }
}

/// One digit of a box: `extent` steps, each of size `step` in the index and of size `stride` in the offset of
/// the outer layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digit {
    pub(crate) extent: u64,
    pub(crate) step: u64,
    pub(crate) stride: u64,
}

impl Digit {
    /// The digit as a mode of the result.
    pub(crate) fn mode(&self) -> Mode {
        Mode { extent: self.extent, stride: self.stride }
    }
}

/// Whether the sum of strides equals the outer layout on a whole box.
pub(crate) enum Additive {
    /// The sum is correct everywhere.
    Yes,
    /// The sum is wrong at the given digits.
    No(Vec<u64>),
    /// The box is too large to search, and its corners are correct.
    Unknown,
}

/// Decides whether `A(sum step*x) = sum stride*x` for all digits of the box. The complete box must be inside the
/// domain.
pub(crate) fn additive(radix: &Radix, digits: &[Digit]) -> Additive {
    let mut carrying = Vec::new();
    for &bound in radix.inner() {
        // The sum is at most the largest index, because each residue is at most its step.
        let reach: u64 = digits.iter().map(|d| (d.step % bound) * (d.extent - 1)).sum();
        if reach >= bound {
            carrying.push(bound);
        }
    }
    if carrying.is_empty() {
        return Additive::Yes;
    }
    // The search considers only digits that can carry, because the other digits are always additive. At most 62 digits
    // are longer than 1.
    let is_involved = |d: &Digit| d.extent > 1 && carrying.iter().any(|bound| !d.step.is_multiple_of(*bound));
    let (places, active): (Vec<usize>, Vec<Digit>) =
        digits.iter().copied().enumerate().filter(|(_, d)| is_involved(d)).unzip();
    let corner: Vec<u64> = active.iter().map(|d| d.extent - 1).collect();
    let found = match wrong_at(radix, &active, &corner) {
        true => Additive::No(shrink(radix, &active, corner)),
        false => search(radix, &active, &corner),
    };
    match found {
        Additive::No(at) => {
            let mut all = vec![0; digits.len()];
            places.into_iter().zip(at).for_each(|(place, x)| all[place] = x);
            Additive::No(all)
        }
        other => other,
    }
}

fn wrong_at(radix: &Radix, digits: &[Digit], at: &[u64]) -> bool {
    let index = digits.iter().zip(at).map(|(d, x)| d.step * x).sum();
    let expected = digits.iter().zip(at).try_fold(0u64, |sum, (d, x)| d.stride.checked_mul(*x)?.checked_add(sum));
    expected.is_none() || radix.offset(index) != expected
}

/// A smaller point at which the sum is still wrong. The function sets each digit to zero if the point stays
/// wrong, or finds the smallest wrong value by bisection. Any point with a wrong sum proves the refusal; a
/// smaller point is easier to read.
fn shrink(radix: &Radix, digits: &[Digit], mut at: Vec<u64>) -> Vec<u64> {
    for k in 0..at.len() {
        let (mut low, mut high) = (0, at[k]);
        while low < high {
            at[k] = low + (high - low) / 2;
            if wrong_at(radix, digits, &at) {
                high = at[k];
            } else {
                low = at[k] + 1;
            }
        }
        at[k] = high;
    }
    at
}

fn search(radix: &Radix, digits: &[Digit], corner: &[u64]) -> Additive {
    let points = corner.iter().try_fold(1u64, |product, x| product.checked_mul(x + 1));
    let exhaustive = points.is_some_and(|n| n <= BUDGET);
    // If the box is too large, the search uses the corners of small sub-boxes, where carries first occur together.
    let steps: Vec<Vec<u64>> = corner
        .iter()
        .map(|&top| match exhaustive {
            true => (0..=top).collect(),
            false => [0, 1, top / 2, top].into_iter().filter(|&x| x <= top).collect(),
        })
        .collect();
    let mut choice = vec![0usize; digits.len()];
    for _ in 0..BUDGET {
        let at: Vec<u64> = choice.iter().zip(&steps).map(|(&c, steps)| steps[c]).collect();
        if wrong_at(radix, digits, &at) {
            return Additive::No(at);
        }
        let Some(k) = (0..choice.len()).find(|&k| choice[k] + 1 < steps[k].len()) else {
            return if exhaustive { Additive::Yes } else { Additive::Unknown };
        };
        choice[k] += 1;
        choice[..k].fill(0);
    }
    Additive::Unknown
}
