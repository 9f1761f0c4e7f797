//! Indices that are a sum over the position, the counters of loops and values that are the same for all elements.
use crate::analysis::affine::Product;

/// Products of an index, each of at most two values, and of at most one with a factor.
pub(super) struct Index<'p> {
    /// Whether the position is added, once.
    pub along: bool,
    /// The products without the position.
    pub rest: Vec<Product<'p>>,
}
