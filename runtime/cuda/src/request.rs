//! Requests to an engine, here or in a child.
use crate::driver::DriverError;

/// A refusal, with the log of the driver's compiler.
pub(crate) type Logged = (DriverError, String);

/// The shape of a launch.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Grid {
    pub cubes: [u32; 3],
    pub dim: [u32; 3],
    /// Bytes of dynamic shared memory, beside the code's static shared memory.
    pub shared: u32,
}
