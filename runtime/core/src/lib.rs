//! The common code of all devices, and the connection of a program to the compiler.
//!
//! * [`Device`], [`Buffer`], [`Kernel`]: memory, queues and launches.
//! * [`queue`]: the order of commands by the allocations that they use.
//! * [`transfer`]: host memory for copies, and the results of queued reads.
//! * [`graph`]: recorded commands.
//! * [`dlpack`]: tensors of other libraries.
//! * [`external`]: memory, streams and kernels of other owners.
//! * [`pool`]: the memory pool of a device, as a data structure without calls of a driver.
//! * [`launch::bind`]: checks arguments against a kernel's declaration. The error messages are the same on every
//!   device.
//! * [`ChildCompiler`]: the compiler in a separate process.
//! * [`bundle`]: files with the compiled kernels of a program.
//! * [`cache`]: a disk cache, so that later runs of a program reuse compiled kernels.
//! * [`prints`]: the output of debug prints in kernels.
//! * [`floats`]: Rust types for the narrow floats.
//! * [`hostdata`]: arrays in host memory for tools: files, generated data and comparison.
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod buffer;
pub mod bundle;
pub mod cache;
pub mod child;
pub mod device;
pub mod dlpack;
pub mod error;
pub mod external;
pub mod floats;
pub mod graph;
pub mod hostdata;
pub mod kernel;
pub mod launch;
pub mod pool;
pub mod prints;
mod properties;
pub mod queue;
pub mod transfer;

pub use buffer::Buffer;
pub use bundle::Bundle;
pub use child::ChildCompiler;
pub use device::{Clock, Cubes, Device, Event, Init};
pub use error::{ErrorKind, RuntimeError};
pub use external::{ExternalMemory, ExternalStream, ForeignKernel, MemorySpace};
pub use graph::{CommandList, Graph};
pub use kernel::Kernel;
pub use launch::{Arg, Dims, Extents, MAX_RANK, Scalar};
pub use pool::{MemoryLimits, MemoryUsage};
pub use properties::DeviceProperties;
pub use queue::Queue;
pub use transfer::{HostBytes, Reading};
