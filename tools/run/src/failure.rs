//! Failures of a run. The message contains an error code, and the exit code distinguishes invalid input from
//! invalid usage.
use crate::say;
use cube_artifact::{CompileError, Message};
use cube_runtime::{RuntimeError, hostdata::DataError};
use std::process::ExitCode;

/// The reason why a run has no results.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// The kernel does not compile, or one of its arguments is invalid.
    Input(CompileError),
    /// The device reports an error.
    Runtime(RuntimeError),
    /// A data file cannot be used.
    Data(DataError),
}

impl Failure {
    /// The failure for an argument that is invalid for the kernel.
    pub fn argument(message: Message) -> Self {
        Failure::Input(CompileError::from(message))
    }

    /// Prints the message and returns the exit code.
    pub fn report(&self) -> ExitCode {
        match self {
            Failure::Usage(message) => say::usage("cube-run", message),
            Failure::Input(error) => say::compile_error(error),
            Failure::Runtime(error) => say::error_with_code(error.to_string(), error.code()),
            Failure::Data(error) => say::error_with_code(error.to_string(), error.code()),
        }
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        Failure::Input(error)
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        match error.compile {
            Some(compile) => Failure::Input(*compile),
            None => Failure::Runtime(error),
        }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Failure::Data(error)
    }
}

#[cfg(test)]
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Usage(message) => f.write_str(message),
            Failure::Input(error) => error.fmt(f),
            Failure::Runtime(error) => error.fmt(f),
            Failure::Data(error) => error.fmt(f),
        }
    }
}
