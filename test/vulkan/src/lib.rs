//! Runs kernels on a Vulkan adapter through the crate wgpu: WGSL as text, SPIR-V as words that the driver receives
//! unchanged.
//!
//! This device is for tests and not a runtime: [`Gpu::run`] creates every buffer, launches once, and reads all buffers.
//! [`Launch::of`] applies the calling conventions of `CodeFormat::WGSL` and `CodeFormat::SPIRV` in `cube_artifact`.
//! Every buffer ends in [`GUARD`] bytes that no kernel is allowed to change.
mod error;
mod float_controls;
mod gpu;
mod launch;
mod validator;

pub use error::Error;
pub use float_controls::{float_controls, kept};
pub use gpu::{GUARD, Gpu};
pub use launch::{Argument, Binding, Code, Launch};
pub use validator::spirv_val;
