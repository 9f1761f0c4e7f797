//! Questions that passes ask of the IR, without changing it.
pub mod constants;
pub mod endings;
pub mod ranges;
pub mod uniformity;
