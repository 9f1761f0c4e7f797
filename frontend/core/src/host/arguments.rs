//! From arguments of the host to a launch.
mod args;
mod launch;
mod params;

pub use args::argument_of_a_launch;
pub use args::{
    ArrayArg, ArrayHandleRef, CubeLaunch, LaunchArg, RuntimeArg, ScalarArg, SequenceArg, TensorArg, TensorHandleRef,
};
pub use launch::{Launch, LaunchError, Written, report};
pub use params::{CompileArg, Params};
