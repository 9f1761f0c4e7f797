//! Phase `lower`: from legal kernels to functions of the LLVM dialect. Each backend picks its steps.
pub mod atomics_to_llvm;
mod combine;
mod device_memory;
pub mod hoist_checks;
pub mod interleave_units;
pub mod kernel_to_device;
mod place;
pub mod planes_to_shuffles;
pub mod shrink_loops;
pub mod units_to_loops;
pub mod widen_halves;
