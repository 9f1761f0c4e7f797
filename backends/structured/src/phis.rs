//! The values of formats in static single assignment form that depend on the preceding block.
//!
//! The walk declares the results of a branch, and the values that a loop carries, before the code that computes them. A
//! [`Phi`] therefore exists before its block and its sources are known.
//!
//! ```text
//! %r = scf.if %c { yield %a }        ^then: br ^merge
//!      else { yield %b }             ^else: br ^merge
//!                                    ^merge: %r = phi [%a, ^then], [%b, ^else]
//! ```
use std::collections::{BTreeMap, BTreeSet};

/// A value at the start of a block. All numbers are ids of the format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phi {
    pub ty: u32,
    /// The values, each with the preceding block.
    pub sources: Vec<(u32, u32)>,
    block: u32,
    /// The last block of a loop, which precedes all iterations but the first.
    next: Option<u32>,
}

/// The phis of a function.
#[derive(Clone, Debug, Default)]
pub struct Phis {
    all: BTreeMap<u32, Phi>,
    unplaced: Vec<u32>,
}

impl Phis {
    /// Declares a phi of the next block that [`Phis::place`] names.
    pub fn declare(&mut self, phi: u32, ty: u32) {
        self.all.insert(phi, Phi { ty, ..Phi::default() });
        self.unplaced.push(phi);
    }

    /// Places the declared phis at the start of a block. For the first block of a loop, `next` is the last block.
    pub fn place(&mut self, block: u32, next: Option<u32>) {
        for phi in self.unplaced.drain(..) {
            self.all.entry(phi).and_modify(|phi| (phi.block, phi.next) = (block, next));
        }
    }

    /// Adds a source: a value in `block`. If the phi is placed in a loop, the value belongs to the next iteration.
    pub fn set(&mut self, phi: u32, value: u32, block: u32) {
        if let Some(phi) = self.all.get_mut(&phi) {
            phi.sources.push((value, phi.next.unwrap_or(block)));
        }
    }

    /// The phis of each block, in the order of their declaration. `used` has the ids that instructions other than phis use.
    ///
    /// A phi that only phis without a use read is left out. NVIDIA's driver (580.159.04) ends the process for such phis of bools in two
    /// nested loops.
    pub fn by_block(&self, used: impl IntoIterator<Item = u32>) -> BTreeMap<u32, Vec<(u32, &Phi)>> {
        let (mut live, mut pending) = (BTreeSet::new(), Vec::from_iter(used));
        while let Some(id) = pending.pop() {
            if let Some(phi) = self.all.get(&id)
                && live.insert(id)
            {
                pending.extend(phi.sources.iter().map(|(value, _)| value));
            }
        }
        let mut blocks: BTreeMap<u32, Vec<(u32, &Phi)>> = BTreeMap::new();
        for (number, phi) in self.all.iter().filter(|(number, _)| live.contains(*number)) {
            blocks.entry(phi.block).or_default().push((*number, phi));
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_in_a_loop_has_its_own_block() {
        let mut phis = Phis::default();
        phis.declare(10, 1);
        phis.set(10, 20, 100);
        phis.place(101, Some(109));
        // A branch in the body of the loop.
        phis.declare(11, 1);
        phis.place(104, None);
        phis.set(11, 21, 102);
        phis.set(11, 22, 103);
        phis.set(10, 11, 104);
        let sources = phis.by_block([10]);
        let sources: Vec<_> =
            sources.iter().map(|(block, phis)| (*block, phis[0].0, phis[0].1.sources.clone())).collect();
        assert_eq!(sources, [(101, 10, vec![(20, 100), (11, 109)]), (104, 11, vec![(21, 102), (22, 103)])]);
    }

    #[test]
    fn phis_that_only_unused_phis_read_are_left_out() {
        let mut phis = Phis::default();
        // Two values of an outer loop and one of an inner loop. The first one and the inner one read each other.
        (10..12).for_each(|phi| phis.declare(phi, 1));
        phis.place(101, Some(109));
        phis.declare(12, 1);
        phis.place(103, Some(105));
        for (phi, value) in [(10, 20), (10, 12), (11, 21), (11, 22), (12, 10), (12, 23)] {
            phis.set(phi, value, 100);
        }
        let kept = |used: &[u32]| -> Vec<u32> {
            let blocks = phis.by_block(used.iter().copied());
            blocks.into_values().flatten().map(|(number, _)| number).collect()
        };
        assert_eq!((kept(&[11, 20]), kept(&[12]), kept(&[])), (vec![11], vec![10, 12], vec![]));
    }
}
