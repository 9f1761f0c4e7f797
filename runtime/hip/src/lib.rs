//! Runs kernels on AMD GPUs. The crate loads HIP's library when a program opens a device. The crate can therefore be
//! built without ROCm, and programs that use the crate start without ROCm. The device loads the code objects of
//! artifacts unchanged; the crate uses no LLVM.
//!
//! The HIP calls of this crate were tested with a test library that has HIP's symbols. The code objects were
//! tested in an emulator. **The crate has not run on hardware.**
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cube_artifact::Variables;
//! use cube_runtime::{Arg, Device, Init, Scalar};
//! use cube_runtime_hip::HipDevice;
//!
//! let artifact = cube_artifact::Artifact::from_bytes(&std::fs::read("scale.cubeart")?)?;
//! let device = HipDevice::new(&Variables::of_process())?;
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

/// The crate re-exports the types of its interface. A program that runs artifacts needs only this crate as a
/// dependency.
pub use {cube_artifact, cube_runtime};

pub use hip::Hip;

/// One AMD GPU, with a stream for each queue.
pub type HipDevice = cube_runtime_gpu::GpuDevice<Hip>;

/// Lets this program run as the child process that uses the device after a kernel fault. Call this function first in
/// `main`, before the program starts a thread. After a kernel has faulted, the runtime starts the program again as a
/// child process, and runs all later launches in this process. In the child process, this function answers requests and
/// never returns. In any other process, it returns immediately.
///
/// The function also sets the environment variable `HIP_SKIP_ABORT_ON_GPU_ERROR` to 1, unless the variable is set. If
/// the variable is not 1, ROCm ends the process when a kernel accesses memory outside of all allocations. A program
/// that does not call this function can be started with this variable.
pub fn serve_if_asked() {
    find::keep_process_after_faults();
    cube_runtime_gpu::serve_if_asked::<Hip>();
}
