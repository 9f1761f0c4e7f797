//! Indices as sums of the position, loop counters, and values that are equal for all elements.
use crate::analysis::affine::Product;

/// The products of an index. Each has at most two values, or one value and a factor.
pub(super) struct Index<'p> {
    /// Whether the sum contains the position, with factor 1.
    pub along: bool,
    /// The products that do not contain the position.
    pub rest: Vec<Product<'p>>,
}
