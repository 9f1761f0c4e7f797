//! The C functions of the header `include/cube.h`, which contains their contracts. Each function catches panics: a
//! panic becomes a failure and never unwinds into C.
#![warn(missing_docs)]

mod arguments;
mod artifact;
mod compile;
mod device;
mod dlpack;
mod handle;
mod kernel;
mod launch;
mod out;

pub use arguments::{CubeArgs, CubeShape};
pub use compile::CubeOptions;
pub use device::{CubeBuffer, CubeCpuOptions, CubeDevice};
pub use handle::{CubeArtifact, CubeDerived, CubeParam};
pub use kernel::CubeKernel;

/// `CUBE_ABI_VERSION` of the header.
const ABI_VERSION: u32 = 2;

/// `cube_abi_version`.
#[unsafe(no_mangle)]
pub extern "C" fn cube_abi_version() -> u32 {
    ABI_VERSION
}

/// The environment variables of the process. The C interface is the facade for hosts in other languages.
pub(crate) fn variables() -> cube_artifact::Variables {
    cube_artifact::Variables::of_process()
}
