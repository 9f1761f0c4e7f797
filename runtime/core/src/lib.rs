//! The runtime without a device: code that all devices share, and the connection of a program to the compiler.
//!
//! * [`Device`], [`Buffer`], [`Kernel`]: memory and launches.
//! * [`pool`]: the memory pool of a device, without a driver.
//! * [`launch::bind`]: arguments checked against a kernel's declaration, on every device in the same words.
//! * [`ChildCompiler`]: the compiler in a separate process.
//! * [`cache`]: compiled kernels between runs of a program.
//! * [`prints`]: what kernels print for debugging.
//! * [`floats`]: the narrow floats as types of Rust.
//! * [`hostdata`]: arrays, their files, generators and comparison, for tools.
#![deny(unsafe_code)]

pub mod buffer;
pub mod cache;
pub mod child;
pub mod device;
pub mod error;
pub mod floats;
pub mod hostdata;
pub mod launch;
pub mod pool;
pub mod prints;
mod properties;

pub use buffer::Buffer;
pub use child::ChildCompiler;
pub use device::{Clock, Device, Init, Kernel};
pub use error::{ErrorKind, RuntimeError};
pub use launch::{Arg, Dims, Extents, MAX_RANK, Scalar};
pub use pool::MemoryUsage;
pub use properties::DeviceProperties;
