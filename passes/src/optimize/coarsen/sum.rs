//! Indices as sums of the position, loop counters, and values that are equal for all elements.
use crate::analysis::affine::Product;

/// An index as a sum of products. Each product has at most two values, or one value and a constant factor.
pub(super) struct Index<'p> {
    /// Whether the sum contains the position, with factor 1.
    pub contains_position: bool,
    /// The products of the sum that do not contain the position.
    pub rest: Vec<Product<'p>>,
}
