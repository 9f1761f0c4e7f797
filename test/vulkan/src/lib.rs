//! Runs kernels on a Vulkan adapter through the crate wgpu. wgpu receives WGSL as text, and the driver receives
//! SPIR-V words unchanged.
//!
//! This crate is for tests and is not a runtime. [`Gpu::run`] creates every buffer, launches the kernel once, and reads
//! all buffers. [`Launch::of`] applies the calling conventions of `CodeFormat::WGSL` and `CodeFormat::SPIRV` in
//! `cube_artifact`. Every buffer ends in [`GUARD`] bytes that no kernel is allowed to change.
mod error;
mod float_controls;
mod gpu;
mod launch;
#[cfg(feature = "msl")]
mod metal;
mod validator;

pub use error::Error;
pub use float_controls::{float_controls, with_exact_floats};
pub use gpu::{GUARD, Gpu};
pub use launch::{Argument, Binding, Code, Launch};
#[cfg(feature = "msl")]
pub use metal::metal;
pub use validator::spirv_val;
