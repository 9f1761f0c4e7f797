//! Indices as sums of the position, loop counters, and values that are equal for all elements.
use cube_ir::Val;

/// A product of at most two values, or of one value and a constant factor.
pub(super) struct Term<'p> {
    pub values: Vec<Val<'p>>,
    pub factor: u64,
}

/// An index as a sum of products.
pub(super) struct Index<'p> {
    /// Whether the sum contains the position, with factor 1.
    pub contains_position: bool,
    /// The products of the sum that do not contain the position.
    pub rest: Vec<Term<'p>>,
}
