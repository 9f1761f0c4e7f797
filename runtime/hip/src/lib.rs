//! Runs kernels on AMD GPUs. The crate loads HIP's library when a program opens a device. It builds, and its programs
//! start, without ROCm. The device loads the code objects of artifacts unchanged; the crate uses no LLVM.
//!
//! A test library with HIP's symbols validated the calls, and an emulator validated the code. **The crate has not
//! run on hardware.**
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cube_artifact::Variables;
//! use cube_runtime::{Arg, Device, Init, Scalar};
//! use cube_runtime_hip::HipDevice;
//!
//! let artifact = cube_artifact::Artifact::from_bytes(&std::fs::read("scale.cubeart")?)?;
//! let device = HipDevice::new(&Variables::of(std::env::vars_os()))?;
//! let x = device.alloc(4096, Init::Zero)?;
//! let args = [Arg::buffer(&x, cube_artifact::ElemType::F32), Scalar::F32(2.0).into()];
//! device.launch(&artifact, &args, [4, 1, 1])?;
//! device.sync()?;
//! # Ok(()) }
//! ```
#![warn(missing_docs)]

mod chip;
mod find;
mod hip;
mod library;
mod owned;

/// The types of this crate's interface. One dependency suffices to run an artifact.
pub use {cube_artifact, cube_runtime};

pub use hip::Hip;

/// One AMD GPU, with a stream for each queue.
pub type HipDevice = cube_runtime_gpu::GpuDevice<Hip>;

/// Lets this program host a device as a child process. Call it first in `main`. In a child the function serves requests and never
/// returns. Otherwise it returns immediately. After a kernel has faulted, launches continue in such a child.
pub fn serve_if_asked() {
    cube_runtime_gpu::serve_if_asked::<Hip>();
}
