//! The errors of a launch on Vulkan. Each error contains the numbers and names that a test checks.
use std::fmt;

/// The reason why a kernel did not run, or why its results are meaningless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The machine has no Vulkan driver, or the driver has no adapter.
    NoAdapter,
    /// The adapter cannot create a device.
    NoDevice(String),
    /// The adapter lacks a feature that the kernel requires.
    MissingFeature(String),
    /// The launch exceeds a limit of the device.
    Limit {
        /// WebGPU's name of the limit.
        name: &'static str,
        /// The value of the limit that the launch requires.
        needed: u64,
        /// The value of the limit on this device.
        limit: u64,
    },
    /// The arguments do not match the kernel's parameters.
    Arguments(String),
    /// wgpu's validation refuses a shader, pipeline or command.
    Invalid(String),
    /// The host or the device has too little memory.
    OutOfMemory,
    /// The driver has lost the device.
    Lost(String),
    /// The launch exceeded the time limit.
    TimedOut {
        /// The time limit.
        seconds: u64,
    },
    /// The kernel wrote beyond the end of a buffer.
    Overrun {
        /// Number of the buffer among the buffer arguments; scalar arguments are not counted.
        binding: usize,
    },
    /// wgpu or the driver panicked.
    Panicked(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoAdapter => f.write_str("no Vulkan adapter on this machine; install mesa-vulkan-drivers"),
            Error::NoDevice(why) => write!(f, "the adapter cannot create a device: {why}"),
            Error::MissingFeature(name) => write!(f, "the adapter lacks the feature {name}"),
            Error::Limit { name, needed, limit } => write!(f, "{name} is {limit}, and the launch needs {needed}"),
            Error::Arguments(why) => write!(f, "arguments: {why}"),
            Error::Invalid(why) => write!(f, "not valid: {why}"),
            Error::OutOfMemory => f.write_str("out of memory"),
            Error::Lost(why) => write!(f, "the device is lost: {why}"),
            Error::TimedOut { seconds } => write!(f, "the launch did not end within {seconds} s"),
            Error::Overrun { binding } => write!(f, "the kernel wrote past the end of binding {binding}"),
            Error::Panicked(why) => write!(f, "wgpu panicked: {why}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<wgpu::Error> for Error {
    fn from(error: wgpu::Error) -> Error {
        match error {
            wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory,
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
                Error::Invalid(description)
            }
        }
    }
}
