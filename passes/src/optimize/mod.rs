//! Phase `optimize`: the same kernel, faster, still with cube operations.
pub mod remove_checks;
