//! Read-only analyses of the IR for passes.
pub mod affine;
pub mod carried;
pub mod constants;
pub mod decisions;
pub mod effects;
pub mod guards;
pub mod launch;
pub mod launch_bounds;
pub mod loop_termination;
pub mod loops;
pub mod ranges;
pub mod registers;
pub mod segments;
pub mod shared_ranges;
#[cfg(test)]
mod tests;
pub mod uniformity;
pub mod unit_addresses;
