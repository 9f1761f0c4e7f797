//! Indices as sums of the position, loop counters, and values that are equal for all elements.
use crate::analysis::affine::Product;

/// Products of an index, each of at most two values, and of at most one with a factor.
pub(super) struct Index<'p> {
    /// Whether the sum contains the position, with factor 1.
    pub along: bool,
    /// The products without the position.
    pub rest: Vec<Product<'p>>,
}
