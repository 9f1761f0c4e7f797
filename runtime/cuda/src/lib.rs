//! Runs kernels on NVIDIA GPUs. The driver library is loaded when a device is opened. The crate can therefore be built
//! without a driver, and programs that use the crate start without a driver. The driver compiles the PTX of an
//! artifact. The crate uses no LLVM and no CUDA toolkit.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cube_artifact::Variables;
//! use cube_runtime::{Arg, Device, Init, Scalar};
//! use cube_runtime_cuda::CudaDevice;
//!
//! let artifact = cube_artifact::Artifact::from_bytes(&std::fs::read("scale.cubeart")?)?;
//! let device = CudaDevice::new(&Variables::of_process())?;
//! let x = device.alloc(4096, Init::Zero)?;
//! let args = [Arg::buffer(&x, cube_artifact::ElemType::F32), Scalar::F32(2.0).into()];
//! device.launch(&artifact, &args, [4, 1, 1])?;
//! device.sync()?;
//! # Ok(()) }
//! ```
#![warn(missing_docs)]

mod chip;
mod cuda;
mod driver;
mod find;
mod link;
mod poll;

/// The crate re-exports the types of its interface. A program that runs artifacts needs only this crate as a
/// dependency.
pub use {cube_artifact, cube_runtime};

pub use cuda::Cuda;
pub use link::machine_code;

/// One NVIDIA GPU, with its own context and a stream for each queue.
pub type CudaDevice = cube_runtime_gpu::GpuDevice<Cuda>;

/// Lets this program run as the child process that uses the device after a kernel fault. Call this function first in
/// `main`. After a kernel has faulted, the runtime starts the program again as a child process, and runs all later
/// launches in this process. In the child process, this function answers requests and never returns. In any other
/// process, it returns immediately.
pub fn serve_if_asked() {
    cube_runtime_gpu::serve_if_asked::<Cuda>();
}
