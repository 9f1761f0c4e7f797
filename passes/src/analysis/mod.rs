//! Questions that passes ask of the IR, without changing it.
pub mod constants;
pub mod effects;
pub mod endings;
pub mod loops;
pub mod ranges;
pub mod uniformity;
