//! The driver-independent part of a GPU runtime: contexts, memory, queues, launches, graphs and faults.
//!
//! A runtime implements [`Driver`] with one method for each function of its driver, and exposes `GpuDevice<ItsDriver>`.
//! The crate `cube_runtime_cuda` is an example of a runtime that implements [`Driver`].
#![warn(missing_docs)]

mod clearing;
mod context;
mod copies;
mod device;
pub mod driver;
mod engine;
mod event;
mod foreign;
mod host;
mod kernel;
mod launch;
mod memory;
pub mod owned;
mod peers;
mod pending_clear;
mod pending_copies;
mod ptx;
mod replay;
mod staging;
mod streams;
mod sync;

/// The crate re-exports the types of its interface.
pub use {cube_artifact, cube_runtime};

pub use device::GpuDevice;
pub use driver::Driver;
pub use host::serve_if_asked;
