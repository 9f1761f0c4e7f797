//! GPU kernels in Rust, compiled through MLIR: the crate that programs depend on.
//!
//! Write a function under `#[cube(launch)]`, and launch it on any runtime; the default is the processor of this machine.
#![forbid(unsafe_code)]

pub use cube_frontend::*;
#[cfg(feature = "stdlib")]
pub use cube_std as std;

#[cfg(feature = "cpu")]
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
