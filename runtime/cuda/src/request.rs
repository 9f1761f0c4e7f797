//! What an engine is asked for, here or in a child.
use crate::driver::DriverError;

/// What the driver's compiler says of code that it refuses goes along with its error.
pub(crate) type Logged = (DriverError, String);

/// The shape of a launch.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Grid {
    pub cubes: [u32; 3],
    pub dim: [u32; 3],
    /// Bytes of shared memory beside those that the code has by itself.
    pub shared: u32,
}
