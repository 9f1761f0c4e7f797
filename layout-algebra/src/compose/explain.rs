//! Explains a failed composition by a text and a counterexample. This code can be slow, because it runs once per error.

use super::{Failure, Plan};
use crate::carry::Digit;
use crate::error::{Error, ErrorKind, Point, Witness};
use crate::layout::Mode;
use crate::nest::{Nest, too_deep};
use crate::{Layout, path_text};

/// Number of extents directly below the refused extent that the search tries first. For smaller extents, the
/// search tries only likely extents.
const NEAREST_TRIES: usize = 16;

pub(super) fn explain(plan: &Plan, failure: Failure, outer: &Layout, inner: &Layout) -> Error {
    match failure {
        Failure::Budget => Error::new(
            ErrorKind::Undecided,
            format!(
                "composition {outer} o {inner}: its carries can cancel, and the search has reached its maximum number of indices"
            ),
        ),
        Failure::Depth => too_deep(),
        Failure::Domain(largest) => domain(outer, inner, largest),
        Failure::Run(run) => off_the_line(plan, outer, inner, run),
        Failure::Carry(at) => carried(plan, outer, inner, &at),
    }
}

fn domain(outer: &Layout, inner: &Layout, largest: u64) -> Error {
    let size = outer.size();
    let witness = Witness {
        condition: format!("the inner layout reaches index {largest}, but the outer layout has {size} indices"),
        point: Some(Point::Value { index: inner.size() - 1, expected: None, candidate: None }),
        ..Witness::default()
    };
    Error::refused(
        format!(
            "composition {outer} o {inner}: {inner} reaches index {largest}, but {outer} ends at {}; \
             shrink the inner layout or round the outer shape up",
            size - 1
        ),
        witness,
    )
}

fn off_the_line(plan: &Plan, outer: &Layout, inner: &Layout, run: u64) -> Error {
    let leaf = plan.starts.len() - 1;
    let (last, digits) = (plan.digits.len() - 1, &plan.digits);
    let digit = digits[last];
    let mut at = vec![0; digits.len()];
    at[last] = run;
    let whole: u64 = digits[plan.digits_of(leaf)].iter().rev().skip(1).map(|d| d.extent).product();
    let witness = Witness {
        condition: format!(
            "the values stay on a line for {run} steps of {}, and {run} does not divide {}",
            digit.step, digit.extent
        ),
        point: Some(Point::Value {
            index: index_of(digits, &at),
            expected: plan.radix.offset(digit.step * run),
            candidate: digit.stride.checked_mul(run),
        }),
        candidate: candidate(plan, inner),
        tile: nearest_tile(outer, inner, leaf, &[whole * run * (digit.extent / run), whole * run]),
        mode: path_of(inner.nest(), leaf),
        inside_mode: false,
    };
    refused(outer, inner, witness)
}

fn carried(plan: &Plan, outer: &Layout, inner: &Layout, at: &[u64]) -> Error {
    let digits = &plan.digits;
    let index: u64 = digits.iter().zip(at).map(|(d, x)| d.step * x).sum();
    let line = digits.iter().zip(at).try_fold(0u64, |sum, (d, x)| d.stride.checked_mul(*x)?.checked_add(sum));
    // The rightmost nonzero digit determines the leaf whose extent must be smaller.
    let part = at.iter().rposition(|&x| x > 0).unwrap_or(0);
    let leaf = plan.starts.iter().rposition(|start| *start <= part).unwrap_or(0);
    let carries = |bound: &&u64| digits.iter().zip(at).map(|(d, x)| (d.step % **bound) * x).sum::<u64>() >= **bound;
    let bound = plan.radix.inner().iter().find(carries).copied().unwrap_or(plan.radix.size());
    let whole: u64 = digits[plan.starts[leaf]..part].iter().map(|d| d.extent).product();
    let witness = Witness {
        condition: format!("steps that add up to index {index} carry over the boundary {bound} of the outer layout"),
        point: Some(Point::Value { index: index_of(digits, at), expected: plan.radix.offset(index), candidate: line }),
        candidate: candidate(plan, inner),
        tile: nearest_tile(outer, inner, leaf, &[whole * at[part], whole]),
        mode: path_of(inner.nest(), leaf),
        inside_mode: false,
    };
    refused(outer, inner, witness)
}

fn refused(outer: &Layout, inner: &Layout, witness: Witness) -> Error {
    let place = match witness.mode.is_empty() {
        true => String::new(),
        false => format!(", in mode {} of {inner}", path_text(&witness.mode)),
    };
    let advice = match &witness.tile {
        Some(tile) => format!("; the nearest inner layout that works is {tile}"),
        None => String::new(),
    };
    Error::refused(format!("no layout computes {outer} o {inner}: {}{place}{advice}", witness.condition), witness)
}

/// The one-dimensional index that the digits represent; the leftmost digit varies fastest.
fn index_of(digits: &[Digit], at: &[u64]) -> u64 {
    let mut weight = 1;
    let mut index = 0;
    for (digit, x) in digits.iter().zip(at) {
        index += x * weight;
        weight *= digit.extent;
    }
    index
}

/// A layout with the inner layout's profile and the strides found so far. The function assumes linear offsets
/// for the leaves without a result.
fn candidate(plan: &Plan, inner: &Layout) -> Option<Layout> {
    let nest = replace_leaves(inner.nest(), &mut |leaf, mode| match leaf < plan.starts.len() {
        true => {
            let digits = plan.digits_of(leaf);
            plan.digits_as_nest(digits.start, digits.end)
        }
        false => Nest::Leaf(Mode { stride: plan.radix.offset(mode.stride).unwrap_or(0), ..mode }),
    });
    Layout::from_nest(nest).ok()
}

/// The inner layout with the largest valid extent of one leaf. `likely` holds extents to try last.
fn nearest_tile(outer: &Layout, inner: &Layout, leaf: usize, likely: &[u64]) -> Option<Layout> {
    let extent = inner.leaves()[leaf].extent;
    let near = (1..extent).rev().take(NEAREST_TRIES);
    let far = likely.iter().copied().filter(|n| (1..extent).contains(n));
    near.chain(far).find_map(|extent| {
        let nest = replace_leaves(inner.nest(), &mut |k, mode| match k == leaf {
            true => Nest::Leaf(Mode { extent, ..mode }),
            false => Nest::Leaf(mode),
        });
        let tile = Layout::from_nest(nest).ok()?;
        Plan::new(outer).solve(&tile).ok().map(|_| tile)
    })
}

fn replace_leaves(nest: &Nest<Mode>, with: &mut impl FnMut(usize, Mode) -> Nest<Mode>) -> Nest<Mode> {
    fn walk(nest: &Nest<Mode>, leaf: &mut usize, with: &mut impl FnMut(usize, Mode) -> Nest<Mode>) -> Nest<Mode> {
        match nest {
            Nest::Leaf(mode) => {
                *leaf += 1;
                with(*leaf - 1, *mode)
            }
            Nest::Tuple(items) => Nest::Tuple(items.iter().map(|item| walk(item, leaf, with)).collect()),
        }
    }
    walk(nest, &mut 0, with)
}

/// The path of child numbers to leaf number `leaf`.
fn path_of(nest: &Nest<Mode>, leaf: usize) -> Vec<usize> {
    fn walk(nest: &Nest<Mode>, left: &mut usize, path: &mut Vec<usize>) -> bool {
        match nest {
            Nest::Leaf(_) if *left == 0 => true,
            Nest::Leaf(_) => {
                *left -= 1;
                false
            }
            Nest::Tuple(items) => items.iter().enumerate().any(|(k, item)| {
                path.push(k);
                let found = walk(item, left, path);
                if !found {
                    path.pop();
                }
                found
            }),
        }
    }
    let (mut left, mut path) = (leaf, Vec::new());
    walk(nest, &mut left, &mut path);
    path
}
