//! Conversion of host values to arguments of a launch.
mod args;
mod cubes;
mod error;
mod key;
mod launch;
mod launchers;
mod lists;
mod params;
mod prepare;
mod recent;
mod report;
mod values;

pub use args::{
    ArrayArg, ArrayHandleRef, CubeLaunch, LaunchArg, RuntimeArg, ScalarArg, SequenceArg, TensorArg, TensorHandleRef,
};
pub use args::{ComptimeField, ComptimeParameter};
pub(super) use cubes::count_buffer;
pub use error::{CubeError, LaunchError};
pub use key::{BuildKeyHasher, LaunchKey};
pub use launch::{Launch, Writes, Written};
pub use params::{CompileArg, Params};
pub(crate) use report::failures_of;
pub use report::report;
pub use values::{KnownValue, Named, SharedValue, StoredValue, Unsized, values_match};
