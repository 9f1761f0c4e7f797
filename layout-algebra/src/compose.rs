//! Exact composition: a layout `R` with `R(i) = A(B(i))` for every `i`, or a refusal with a proof that no
//! such layout exists.
//!
//! The result has the profile that CuTe requires: the shape of `B` is compatible with the shape of `R`. Compatible
//! means that every leaf of `B` becomes a mode of the same size. CuTe's own algorithm requires that extents and
//! strides of the two layouts divide each other. This condition is sometimes too strict, and CuTe does not
//! always check the condition. In this crate, the carry theorem (`carry.rs`) decides whether a layout exists.

mod explain;

use crate::carry::{Additive, Digit, Radix, Run, additive};
use crate::coalesce::flat;
use crate::error::Result;
use crate::layout::{Mode, nest_of};
use crate::nest::{MAX_DEPTH, Nest};
use crate::{Layout, Tiler};

/// The composition `outer ∘ inner`.
///
/// # Errors
/// `inner` exceeds the domain of `outer`, or no layout computes the composition. The error contains a counterexample.
/// [`crate::ErrorKind::Undecided`] if carries cancel on a box too large to search, which does not occur for practical
/// tiles.
pub fn compose(outer: &Layout, inner: &Layout) -> Result<Layout> {
    let mut plan = Plan::new(outer);
    plan.solve(inner).map_err(|failure| explain::explain(&plan, failure, outer, inner))
}

/// The composition of a layout with a tiler. A tiler is either one layout for the whole operand, or a list with
/// one tiler for each mode. Modes without a tiler are unchanged.
///
/// # Errors
/// Fails like [`compose`], or if the tiler has more modes than the layout.
pub fn compose_tiler(outer: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Keep => Ok(outer.clone()),
        Tiler::Layout(inner) => compose(outer, inner),
        Tiler::ByMode(items) => crate::divide::by_mode(outer, items, compose_tiler),
    }
}

/// The state of a composition: the prepared outer layout, and the digits found so far.
struct Plan {
    radix: Radix,
    digits: Vec<Digit>,
    /// The index in `digits` at which each leaf of the inner layout begins.
    starts: Vec<usize>,
}

/// The reason why the composition failed. The caller converts a failure to text only if the failure becomes
/// an error.
enum Failure {
    /// The largest offset of the inner layout is outside the domain of the outer layout.
    Domain(u64),
    /// The length of a run of offsets with equal steps, in offsets. In the last leaf, this length does not
    /// divide the remaining extent.
    Run(u64),
    /// Each digit is correct separately, but their combination is wrong at the given point.
    Carry(Vec<u64>),
    /// The search exceeded its budget.
    Budget,
    /// Splitting a leaf would exceed the depth limit of layouts.
    Depth,
}

impl Plan {
    fn new(outer: &Layout) -> Plan {
        Plan { radix: Radix::new(flat(outer)), digits: Vec::with_capacity(8), starts: Vec::with_capacity(8) }
    }

    fn solve(&mut self, inner: &Layout) -> std::result::Result<Layout, Failure> {
        let largest = inner.cosize() - 1;
        if largest >= self.radix.size() {
            return Err(Failure::Domain(largest));
        }
        let nest = self.replace(inner.nest(), 0)?;
        match additive(&self.radix, &self.digits) {
            Additive::Yes => Ok(Layout::trusted(nest)),
            Additive::No(at) => Err(Failure::Carry(at)),
            Additive::Unknown => Err(Failure::Budget),
        }
    }

    fn replace(&mut self, nest: &Nest<Mode>, depth: usize) -> std::result::Result<Nest<Mode>, Failure> {
        match nest {
            Nest::Leaf(mode) => match self.coalesced_modes(*mode)? {
                Nest::Tuple(_) if depth >= MAX_DEPTH => Err(Failure::Depth),
                modes => Ok(modes),
            },
            Nest::Tuple(items) => {
                let modes = items.iter().map(|item| self.replace(item, depth + 1));
                Ok(Nest::Tuple(modes.collect::<std::result::Result<_, _>>()?))
            }
        }
    }

    /// The only coalesced layout of `leaf.extent` indices that can equal `x -> A(leaf.stride * x)`.
    ///
    /// The extent of the first mode must be the length of the first run of values with equal steps. If the extent is
    /// shorter than the first run, the next mode continues the run, and coalescing merges the two modes. If the extent
    /// is longer than the first run, the layout has a wrong value. The extents of the remaining modes follow in the
    /// same way from the first values of the runs.
    fn coalesced_modes(&mut self, leaf: Mode) -> std::result::Result<Nest<Mode>, Failure> {
        let start = self.digits.len();
        self.starts.push(start);
        let (mut left, mut step) = (leaf.extent, leaf.stride);
        if left == 1 {
            // Keeps at least one digit a leaf, so that the index of a point can be recombined.
            self.digits.push(Digit { extent: 1, step: 0, stride: 0 });
        }
        while left > 1 {
            let stride = self.radix.offset(step).unwrap_or(0);
            let run = match self.radix.first_break(step, left) {
                Run::Whole => left,
                Run::Breaks(run) => run,
                Run::Unknown => return Err(Failure::Budget),
            };
            if left % run != 0 {
                self.digits.push(Digit { extent: left, step, stride });
                return Err(Failure::Run(run));
            }
            self.digits.push(Digit { extent: run, step, stride });
            left /= run;
            // A further step exists only if left > 1. Then step * run is at most the largest index.
            step = if left > 1 { step * run } else { 0 };
        }
        Ok(self.digits_as_nest(start, self.digits.len()))
    }

    fn digits_as_nest(&self, start: usize, end: usize) -> Nest<Mode> {
        match &self.digits[start..end] {
            [digit] => Nest::Leaf(digit.mode()),
            digits => nest_of(&digits.iter().map(Digit::mode).collect::<Vec<_>>()),
        }
    }

    /// The digits of leaf number `leaf`.
    fn digits_of(&self, leaf: usize) -> std::ops::Range<usize> {
        self.starts[leaf]..self.starts.get(leaf + 1).copied().unwrap_or(self.digits.len())
    }
}

#[cfg(test)]
mod tests {
    use super::compose;
    use crate::{ErrorKind, Layout, Point};

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn strides_follow_the_modes_of_the_outer_layout() {
        assert_eq!(compose(&layout("(4,8):(100,1)"), &layout("16:1")).unwrap(), layout("(4,4):(100,1)"));
        assert_eq!(compose(&layout("(6,2):(8,2)"), &layout("(4,3):(3,1)")).unwrap(), layout("((2,2),3):((24,2),8)"));
    }

    #[test]
    fn cancelling_carries_are_accepted_unlike_in_cute() {
        // Index 3+1 carries over both boundaries, and the two brackets, 3 and -3, cancel.
        assert_eq!(compose(&layout("(2,2,2):(1,5,7)"), &layout("(2,2):(1,3)")).unwrap(), layout("(2,2):(1,6)"));
    }

    #[test]
    fn compose_accepts_strides_without_needless_divisibility() {
        assert_eq!(compose(&layout("(3,4):(1,5)"), &layout("2:4")).unwrap(), layout("2:6"));
    }

    #[test]
    fn indivisible_run_is_rejected_with_the_first_wrong_index() {
        let error = compose(&layout("(4,3):(1,10)"), &layout("6:1")).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        let witness = error.witness.unwrap();
        assert_eq!(witness.point, Some(Point::Value { index: 4, expected: Some(10), candidate: Some(4) }));
        assert_eq!(witness.tile, Some(layout("4:1")));
        assert!(error.message.contains("4 does not divide 6"), "{}", error.message);
    }

    #[test]
    fn leaving_the_domain_is_refused_with_no_value() {
        let error = compose(&layout("(4,4):(1,4)"), &layout("5:4")).unwrap_err();
        assert_eq!(error.witness.unwrap().point, Some(Point::Value { index: 4, expected: None, candidate: None }));
        assert!(error.message.contains("reaches index 16, but (4,4):(1,4) ends at 15"), "{}", error.message);
    }

    #[test]
    fn modes_with_a_common_carry_are_rejected() {
        let error = compose(&layout("(4,3):(1,10)"), &layout("(2,3):(3,1)")).unwrap_err();
        let witness = error.witness.unwrap();
        assert_eq!(witness.point, Some(Point::Value { index: 3, expected: Some(10), candidate: Some(4) }));
        assert!(error.message.contains("carry over the boundary 4"), "{}", error.message);
    }

    #[test]
    fn the_article_s_thread_value_view() {
        let block = layout("(16,256):(2048,1)");
        let tv = layout("((32,4),(8,4)):((128,4),(16,1))");
        assert_eq!(compose(&block, &tv).unwrap(), layout("((32,4),(8,4)):((8,8192),(1,2048))"));
    }
}
