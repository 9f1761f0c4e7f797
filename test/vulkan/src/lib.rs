//! Runs kernels on a Vulkan adapter through the crate wgpu: WGSL as text, SPIR-V as words that the driver gets as they are.
//!
//! This is the judge's device and not the runtime's: [`Gpu::run`] makes every buffer anew, launches once, and reads all
//! buffers back. [`Launch::of`] lays the arguments out by the calling convention of `CodeFormat::WGSL` and of
//! `CodeFormat::SPIRV` in `cube_artifact`.
//! Every buffer ends in [`GUARD`] bytes that no kernel may change.
mod error;
mod float_controls;
mod gpu;
mod launch;
mod validator;

pub use error::Error;
pub use float_controls::float_controls;
pub use gpu::{GUARD, Gpu};
pub use launch::{Argument, Binding, Code, Launch};
pub use validator::spirv_val;
