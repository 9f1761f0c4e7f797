//! Errors of work on a device.
use crate::pool::MemoryUsage;
use cube_artifact::{CompileError, codes};

/// The cause of an error, which determines who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Caused by the caller: invalid arguments, sizes or ranges.
    User,
    /// Caused by the compiler: the artifact is inconsistent or cannot be loaded.
    InvalidArtifact,
    /// Caused by the request: the device does not support the requested work.
    DeviceLimit,
    /// The kernel did not compile; the compiler's messages are in [`RuntimeError::compile`].
    Compile,
    /// Caused by the machine: the device or its driver does not exist.
    NoDevice,
    /// Caused by the kernel, which faulted on the device. The contents of the device's memory are lost. Later launches
    /// work.
    Fault,
    /// Caused by the kernel, which stopped its launch. The kernel's writes before the end of the launch
    /// remain in memory.
    Stopped,
    /// Caused by the kernel, which exceeded the time limit and was ended. The kernel's writes before the end
    /// of the launch remain in memory.
    TimeLimit,
    /// Caused by the driver: a call that should succeed has failed.
    Driver,
    /// Caused by the environment: a variable has an invalid value.
    Environment,
}

/// An error that a call to a device returns. The requested work did not run, unless the kind is
/// [`ErrorKind::Fault`], [`ErrorKind::Stopped`] or [`ErrorKind::TimeLimit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeError {
    /// The cause of an error, which determines who must act.
    pub kind: ErrorKind,
    /// The name of the kernel that failed, if the error is about a kernel.
    pub kernel: Option<String>,
    /// The name of the argument that caused the error, if there is one.
    pub argument: Option<String>,
    /// The violated rule with its limit, and the fix.
    pub message: String,
    /// The compiler's own error, for [`ErrorKind::Compile`].
    pub compile: Option<Box<CompileError>>,
    /// Memory usage of the device when it refused an allocation.
    pub memory: Option<Box<MemoryUsage>>,
}

impl RuntimeError {
    /// Creates an error that names no kernel and no argument.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        RuntimeError { kind, kernel: None, argument: None, message: message.into(), compile: None, memory: None }
    }

    /// Creates an error that the caller caused.
    pub fn user(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::User, message)
    }

    /// Creates an error about an artifact that this version of the compiler would not write.
    pub fn invalid_artifact(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArtifact, message)
    }

    /// Creates an error about a request that exceeds the device's capabilities.
    pub fn device_limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::DeviceLimit, message)
    }

    /// Creates an error about an environment variable with an invalid value.
    pub fn environment(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Environment, message)
    }

    /// Adds the kernel's name to the error.
    pub fn in_kernel(mut self, name: &str) -> Self {
        self.kernel.get_or_insert_with(|| name.to_string());
        self
    }

    /// Adds the argument's name to the error.
    pub fn at_argument(mut self, name: &str) -> Self {
        self.argument.get_or_insert_with(|| name.to_string());
        self
    }

    /// The error code for `--explain`; for [`ErrorKind::Compile`] the code of the compiler's error.
    pub fn code(&self) -> &str {
        let of_compiler = || self.compile.as_ref()?.diagnostics.first()?.code.as_deref();
        match self.kind {
            ErrorKind::User => codes::LAUNCH_ARGUMENT,
            ErrorKind::InvalidArtifact => codes::INVALID_ARTIFACT,
            ErrorKind::DeviceLimit => codes::DEVICE_LIMIT,
            ErrorKind::Compile => of_compiler().unwrap_or(""),
            ErrorKind::NoDevice => codes::NO_DEVICE,
            ErrorKind::Fault => codes::KERNEL_FAULT,
            ErrorKind::Stopped => codes::KERNEL_STOPPED,
            ErrorKind::TimeLimit => codes::TIME_LIMIT,
            ErrorKind::Driver => codes::DRIVER,
            ErrorKind::Environment => codes::ENVIRONMENT,
        }
    }
}

impl From<CompileError> for RuntimeError {
    fn from(error: CompileError) -> Self {
        let mut whole = Self::new(ErrorKind::Compile, error.to_string());
        whole.compile = Some(Box::new(error));
        whole
    }
}

impl std::fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.kind == ErrorKind::Compile {
            // The compiler's diagnostics have their own location, code and severity.
            return f.write_str(&self.message);
        }
        write!(f, "error[{}]: ", self.code())?;
        match (&self.kernel, &self.argument) {
            (Some(kernel), Some(argument)) => write!(f, "kernel '{kernel}', argument '{argument}': ")?,
            (Some(kernel), None) => write!(f, "kernel '{kernel}': ")?,
            (None, Some(argument)) => write!(f, "argument '{argument}': ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RuntimeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_argument_and_kernel_name_are_kept() {
        let error = RuntimeError::user("no").at_argument("x").at_argument("y").in_kernel("k").in_kernel("l");
        assert_eq!(error.to_string(), "error[CUBE0920]: kernel 'k', argument 'x': no");
    }

    #[test]
    fn a_compile_error_keeps_the_words_and_the_code_of_the_compiler() {
        let error = RuntimeError::from(CompileError::from(cube_artifact::Message::from("no such op [CUBE0102]")));
        assert_eq!((error.to_string().as_str(), error.code()), ("error[CUBE0102]: no such op", "CUBE0102"));
    }
}
