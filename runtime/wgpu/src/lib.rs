//! Runs kernels on any GPU through wgpu: Vulkan, Metal and Direct3D 12. wgpu compiles the WGSL of an artifact. With the
//! feature `spirv`, a Vulkan driver receives SPIR-V unchanged. The crate uses no LLVM.
//!
//! The crate builds for `wasm32-unknown-unknown`, and runs artifacts of WGSL that `cubec` compiled before. A program in
//! a browser opens a device with wgpu, shares it ([`WgpuDevice::shared`]), and awaits
//! [`cube_runtime::Device::read_async`]. In a browser, a call that would wait for the device is an error.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cube_runtime::{Arg, Device, Init, Scalar};
//! use cube_runtime_wgpu::{Options, WgpuDevice};
//!
//! let artifact = cube_artifact::Artifact::from_bytes(&std::fs::read("scale.cubeart")?)?;
//! let device = WgpuDevice::open(&Options::default())?;
//! let x = device.alloc(4096, Init::Zero)?;
//! let args = [Arg::buffer(&x, cube_artifact::ElemType::F32), Scalar::F32(2.0).into()];
//! device.launch(&artifact, &args, [4, 1, 1])?;
//! device.sync()?;
//! # Ok(()) }
//! ```
#![warn(missing_docs)]

mod adapter;
#[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
mod addresses;
mod cache;
mod context;
mod device;
mod engine;
mod events;
mod launch;
mod launches;
mod memory;
mod open;
mod pipelines;
mod repeats;
mod segments;
mod staging;
mod stream;
mod time;
mod transfer;
#[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
mod vulkan;

/// The crate re-exports the types of its interface. A program that runs artifacts needs only this crate as a
/// dependency.
pub use {cube_artifact, cube_runtime, wgpu};

pub use adapter::{ADAPTER_VARIABLE, AdapterChoice};
pub use device::{Shared, WgpuDevice};
pub use open::{Code, Options, PLANES_VARIABLE};
pub use pipelines::BUFFERS_VARIABLE;
