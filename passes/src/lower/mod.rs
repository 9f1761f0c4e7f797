//! Phase `lower`: from legal kernels to functions of the LLVM dialect. Each backend picks its steps.
pub use fix_plane_dim::PLANE_DIM;
pub use pieces::SCRATCH_BYTES;
pub use planes_to_vectors::TOGETHER;

pub mod atomics_to_llvm;
pub mod attach_debug_info;
pub mod bf16_to_bits;
mod combine;
mod device_memory;
pub mod expand_atomics;
pub mod fix_plane_dim;
pub mod hoist_checks;
pub mod interleave_units;
pub mod kernel_to_device;
mod members;
mod memory;
mod pieces;
mod place;
pub mod planes_to_shuffles;
pub mod planes_to_vectors;
pub mod shrink_loops;
mod split;
pub mod split_at_barriers;
pub mod spread_locals;
pub mod turns_to_llvm;
pub mod units_to_loops;
mod vector;
pub mod widen_halves;
