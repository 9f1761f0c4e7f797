//! Nested tuples: the profile that shapes, strides, coordinates and layouts share.

use crate::error::{Error, Result};
use std::fmt;

/// The maximum nesting, counted as in CuTe: an integer has depth 0.
///
/// Every recursive function of this crate traverses only nests up to the maximum nesting, so the use of stack
/// memory is bounded.
pub const MAX_DEPTH: usize = 256;

/// A value or a tuple of nests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Nest<T> {
    /// One value, printed without parentheses.
    Leaf(T),
    /// A tuple, printed in parentheses. `(4)` and `4` are different profiles.
    Tuple(Vec<Nest<T>>),
}

impl<T> Nest<T> {
    /// The number of children of a tuple; 1 for a leaf, as in CuTe.
    pub fn rank(&self) -> usize {
        match self {
            Nest::Leaf(_) => 1,
            Nest::Tuple(items) => items.len(),
        }
    }

    /// The nesting depth: 0 for a leaf, one more than the deepest child for a tuple.
    ///
    /// # Errors
    /// The depth exceeds [`MAX_DEPTH`]. The traversal stops at the maximum depth, so that a hostile nest
    /// cannot overflow the stack.
    pub fn depth(&self) -> Result<usize> {
        self.depth_within(MAX_DEPTH).ok_or_else(too_deep)
    }

    fn depth_within(&self, left: usize) -> Option<usize> {
        match self {
            Nest::Leaf(_) => Some(0),
            Nest::Tuple(items) => {
                let left = left.checked_sub(1)?;
                let deepest = items.iter().try_fold(0, |deepest, item| Some(item.depth_within(left)?.max(deepest)))?;
                Some(deepest + 1)
            }
        }
    }

    /// Calls `visit` for every leaf, leftmost first. The nest must not be deeper than [`MAX_DEPTH`].
    pub fn each_leaf<'a>(&'a self, visit: &mut impl FnMut(&'a T)) {
        match self {
            Nest::Leaf(value) => visit(value),
            Nest::Tuple(items) => items.iter().for_each(|item| item.each_leaf(visit)),
        }
    }

    /// A nest with the same profile, in which each leaf is the result of the function for the old leaf.
    pub fn map<U>(&self, replace: &mut impl FnMut(&T) -> U) -> Nest<U> {
        match self {
            Nest::Leaf(value) => Nest::Leaf(replace(value)),
            Nest::Tuple(items) => Nest::Tuple(items.iter().map(|item| item.map(replace)).collect()),
        }
    }

    /// The children of a tuple; for a leaf, the leaf itself.
    pub fn children(&self) -> &[Nest<T>] {
        match self {
            Nest::Leaf(_) => std::slice::from_ref(self),
            Nest::Tuple(items) => items,
        }
    }
}

pub(crate) fn too_deep() -> Error {
    Error::operand(format!("nesting is deeper than {MAX_DEPTH} levels; flatten the layout"))
}

impl<T: fmt::Display> fmt::Display for Nest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|value, f| value.fmt(f))
    }
}

impl<T> Nest<T> {
    pub(crate) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        leaf: &impl Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        match self {
            Nest::Leaf(value) => leaf(value, f),
            Nest::Tuple(items) => {
                f.write_str("(")?;
                for (k, item) in items.iter().enumerate() {
                    if k > 0 {
                        f.write_str(",")?;
                    }
                    item.write(f, leaf)?;
                }
                f.write_str(")")
            }
        }
    }
}

impl<T> From<T> for Nest<T> {
    fn from(value: T) -> Nest<T> {
        Nest::Leaf(value)
    }
}
