//! Decides exactly whether a layout is injective. Two indices with equal offsets prove that a layout is not injective.
//!
//! `L(i) = L(j)` for some `i != j` exactly if differences of digits exist with `|d_k| < extent_k`, not all 0, and
//! `sum stride_k * d_k = 0`. With the strides in descending order, the search for the digit differences `d_k` is a
//! bounded knapsack problem. The largest sum of the smaller strides, and the greatest common divisor of the smaller
//! strides, limit the search. The search is short for practical layouts.

use crate::Layout;
use crate::error::{Error, ErrorKind, Point, Result};

/// Maximum number of search nodes. A search that needs more nodes ends with the answer "undecided".
const BUDGET: u32 = 1 << 20;

/// A mode with the weight of its digit in the one-dimensional index.
#[derive(Clone, Copy, Debug)]
struct Term {
    extent: i128,
    stride: i128,
    weight: u64,
}

/// Whether no two indices have the same offset.
///
/// # Errors
/// [`ErrorKind::Undecided`] if the search exceeds its budget.
pub fn injective(layout: &Layout) -> Result<bool> {
    Ok(collision(layout)?.is_none())
}

/// Two indices with the same offset, or `None` if the layout is injective.
///
/// # Errors
/// [`ErrorKind::Undecided`] if the search exceeds its budget.
pub fn collision(layout: &Layout) -> Result<Option<Point>> {
    let terms = terms(layout);
    // A mode of stride 0 is the simplest collision.
    if let Some(term) = terms.iter().find(|term| term.stride == 0) {
        return Ok(Some(Point::Collision { index: 0, other: term.weight, offset: 0 }));
    }
    find(terms, layout)
}

/// Like [`collision`], but a mode of stride 0 counts as one index, as the computation of a complement
/// requires.
pub(crate) fn collision_beside_zeros(layout: &Layout) -> Result<Option<Point>> {
    let terms = terms(layout).into_iter().filter(|term| term.stride != 0).collect();
    find(terms, layout)
}

fn terms(layout: &Layout) -> Vec<Term> {
    let mut weight = 1u64;
    let mut terms = Vec::with_capacity(8);
    layout.nest().each_leaf(&mut |mode| {
        if mode.extent > 1 {
            terms.push(Term { extent: mode.extent.into(), stride: mode.stride.into(), weight });
        }
        weight *= mode.extent;
    });
    terms
}

fn find(mut terms: Vec<Term>, layout: &Layout) -> Result<Option<Point>> {
    terms.sort_by_key(|term| std::cmp::Reverse(term.stride));
    let mut search = Search::new(&terms);
    if search.disjoint() {
        return Ok(None);
    }
    let found = search.any().ok_or_else(|| {
        Error::new(
            ErrorKind::Undecided,
            format!("cannot decide whether {layout} is injective within the search budget; use fewer modes"),
        )
    })?;
    Ok(found.then(|| {
        let (mut index, mut other, mut offset) = (0u64, 0u64, 0i128);
        for (term, &d) in terms.iter().zip(&search.chosen) {
            let steps = term.weight * d.unsigned_abs() as u64;
            if d > 0 {
                index += steps;
                offset += term.stride * d;
            } else {
                other += steps;
            }
        }
        Point::Collision { index, other, offset: offset as u64 }
    }))
}

struct Search<'a> {
    terms: &'a [Term],
    /// The largest sum of the terms with number `k` or higher.
    reach: Vec<i128>,
    /// The greatest common divisor of the strides with number `k` or higher; 0 past the end.
    divisor: Vec<i128>,
    chosen: Vec<i128>,
    budget: u32,
}

impl<'a> Search<'a> {
    fn new(terms: &'a [Term]) -> Search<'a> {
        let mut reach = vec![0; terms.len() + 1];
        let mut divisor = vec![0; terms.len() + 1];
        for (k, term) in terms.iter().enumerate().rev() {
            reach[k] = reach[k + 1] + term.stride * (term.extent - 1);
            divisor[k] = gcd(term.stride, divisor[k + 1]);
        }
        Search { terms, reach, divisor, chosen: vec![0; terms.len()], budget: BUDGET }
    }

    /// Whether every stride exceeds the largest sum of the terms with smaller strides. If so, the layout is
    /// injective, and no search is necessary.
    fn disjoint(&self) -> bool {
        self.terms.iter().enumerate().all(|(k, term)| term.stride > self.reach[k + 1])
    }

    /// Whether two different indices have equal offsets, or `None` if the budget is exhausted. By symmetry, the
    /// search considers only index pairs whose first non-zero difference is positive.
    fn any(&mut self) -> Option<bool> {
        for first in 0..self.terms.len() {
            let term = self.terms[first];
            let below = self.divisor[first + 1];
            // Only multiples of this number leave a remainder that the smaller strides can cancel.
            let stride = if below == 0 { return Some(false) } else { below / gcd(term.stride, below) };
            let most = (self.reach[first + 1] / term.stride).min(term.extent - 1);
            let mut d = stride;
            while d <= most {
                self.chosen[first] = d;
                if self.can_sum_to(first + 1, -term.stride * d)? {
                    return Some(true);
                }
                d += stride;
            }
            self.chosen[first] = 0;
        }
        Some(false)
    }

    /// Whether the terms with number `k` and higher can sum to `target`. The function stores the solution in the field
    /// `chosen`.
    fn can_sum_to(&mut self, k: usize, target: i128) -> Option<bool> {
        self.budget = self.budget.checked_sub(1)?;
        let Some(&term) = self.terms.get(k) else {
            return Some(target == 0);
        };
        let rest = self.reach[k + 1];
        let low = div_ceil(target - rest, term.stride).max(1 - term.extent);
        let high = (target + rest).div_euclid(term.stride).min(term.extent - 1);
        let (first, step) = match self.divisor[k + 1] {
            0 if target % term.stride == 0 => (target / term.stride, 1),
            0 => return Some(false),
            below => match congruence(term.stride, target, below) {
                Some((residue, modulus)) => (low + (residue - low).rem_euclid(modulus), modulus),
                None => return Some(false),
            },
        };
        let mut d = first;
        while d <= high {
            self.chosen[k] = d;
            if d >= low && self.can_sum_to(k + 1, target - term.stride * d)? {
                return Some(true);
            }
            if self.divisor[k + 1] == 0 {
                break;
            }
            d += step;
        }
        self.chosen[k] = 0;
        Some(false)
    }
}

fn div_ceil(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The solutions `d` of `a*d = target (mod modulus)`, as a residue and a modulus, or `None`.
fn congruence(a: i128, target: i128, modulus: i128) -> Option<(i128, i128)> {
    let (mut old, mut new) = ((a.rem_euclid(modulus), 1i128), (modulus, 0i128));
    while new.0 != 0 {
        let q = old.0 / new.0;
        (old, new) = (new, (old.0 - q * new.0, old.1 - q * new.1));
    }
    let divisor = old.0;
    let reduced = modulus / divisor;
    if target % divisor != 0 {
        return None;
    }
    // Each factor is below 2^63, so the product fits in an `i128`.
    let inverse = old.1.rem_euclid(reduced);
    Some((((target / divisor).rem_euclid(reduced) * inverse).rem_euclid(reduced), reduced))
}

#[cfg(test)]
mod tests {
    use super::{Point, collision, injective};
    use crate::Layout;

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn injective_accepts_gaps_and_rejects_overlaps() {
        for text in ["(4,10):(1,10)", "(3,2):(4,5)", "(2,10):(24,59)", "(2,3):(59,24)", "1:0", "(1,4):(0,3)"] {
            assert!(injective(&layout(text)).unwrap(), "{text}");
        }
        for text in ["4:0", "(2,4,6):(1,6,2)", "(3,2):(1,2)", "(5,3,2):(12,1,24)", "(9,2):(3,5)"] {
            // The last layout is injective only if 3a = 5b has no nonzero solution with a < 9, b < 2.
            assert_eq!(injective(&layout(text)).unwrap(), text == "(9,2):(3,5)", "{text}");
        }
    }

    #[test]
    fn huge_extents_are_decided_without_a_table() {
        assert!(injective(&layout("(1000000007,1000000000):(1000000009,1000000007)")).unwrap());
        let clash = collision(&layout("(1000000008,1000000010):(1000000009,1000000007)")).unwrap();
        let Some(Point::Collision { index, other, offset }) = clash else { panic!("not injective") };
        let both = layout("(1000000008,1000000010):(1000000009,1000000007)");
        assert_ne!(index, other);
        assert_eq!((both.offset(index), both.offset(other)), (Some(offset), Some(offset)));
    }
}
