//! Lowering for GPU targets that use LLVM. A backend declares the passes and supplies the names of its registers and
//! intrinsics. The description of the chip defines the memory spaces and plane widths.
#![forbid(unsafe_code)]
mod active_mask;
mod device_memory;
mod kernel_to_device;
mod lanes;
mod planes;
#[cfg(test)]
mod tests;

pub use kernel_to_device::{Registers, run as kernel_to_device};
pub use lanes::Lanes;
pub use planes::lower_plane_ops;
