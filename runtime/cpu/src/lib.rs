//! Runs kernels on the host CPU. Loads the objects of kernels into memory that is never writable and executable at the
//! same time. The cubes of a launch run on a private pool of threads. The crate uses no LLVM, no linker, and no
//! temporary files.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cube_artifact::Variables;
//! use cube_runtime::{Arg, Device, Init, Scalar};
//! use cube_runtime_cpu::CpuDevice;
//!
//! let artifact = cube_artifact::Artifact::from_bytes(&std::fs::read("scale.cubeart")?)?;
//! let device = CpuDevice::new(&Variables::of_process())?;
//! let x = device.alloc(4096, Init::Zero)?;
//! let args = [Arg::buffer(&x, cube_artifact::ElemType::F32), Scalar::F32(2.0).into()];
//! device.launch(&artifact, &args, [4, 1, 1])?;
//! device.sync()?;
//! # Ok(()) }
//! ```
#![warn(missing_docs)]

mod code;
mod command;
mod copies;
mod debugger;
mod device;
mod entry;
mod fault;
mod features;
mod launch;
mod launches;
mod limit;
mod memory;
mod object;
mod queues;
mod scratch;
mod sync;
mod tracking;
mod workers;

/// The types that occur in this crate's interface. To run an artifact, a program needs only a dependency on
/// this crate.
pub use {cube_artifact, cube_runtime};

pub use device::CpuDevice;
