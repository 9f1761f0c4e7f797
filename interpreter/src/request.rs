//! Input and output of a run.
use crate::findings::{Find, Finding};
use crate::program::Site;
use cube_artifact::{Message, diagnostic};
use std::fmt;

/// One argument of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A buffer: its elements in little endian. A bool takes one byte. The run stores the buffer's final
    /// contents in `bytes`.
    Buffer {
        /// The elements.
        bytes: Vec<u8>,
        /// Whether the initial contents are defined. A read of undefined contents is a finding.
        initialised: bool,
    },
    /// A buffer that the host describes by a shape. The length of the buffer is the product of the shape, independent
    /// of the size of the memory.
    Tensor {
        /// The elements of the memory.
        bytes: Vec<u8>,
        /// Whether the initial contents are defined. A read of undefined contents is a finding.
        initialised: bool,
        /// Elements along each dimension, at most 8.
        shape: Vec<u64>,
        /// Distance in elements between neighbours along each dimension.
        strides: Vec<u64>,
    },
    /// A scalar: its bit pattern in the low bits.
    Scalar(u64),
}

impl Arg {
    /// The elements of a buffer or tensor.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. } => Some(bytes),
            Arg::Scalar(_) => None,
        }
    }

    pub(crate) fn bytes_mut(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. } => Some(bytes),
            Arg::Scalar(_) => None,
        }
    }

    pub(crate) fn initialised(&self) -> bool {
        !matches!(self, Arg::Buffer { initialised: false, .. } | Arg::Tensor { initialised: false, .. })
    }
}

/// The order in which units run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Cubes run in order, and the units of each cube also run in order. The x axis varies fastest.
    #[default]
    InOrder,
    /// Cubes run in order. The units of each cube run from the last to the first.
    LastFirst,
    /// Cubes, and the units of each cube, run in a random order that the seed determines.
    Shuffled(u64),
}

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The kinds of findings to detect.
    pub find: Find,
    /// Limit on the total number of instructions of all units.
    pub max_steps: u64,
    /// Limit on the bytes that the run allocates in addition to the arguments.
    pub max_memory: u64,
    /// The order of units.
    pub schedule: Schedule,
    /// Number of units in a plane, 1 to 128. The number applies to kernels that do not fix the plane size
    /// ([`crate::Program::plane_dim`]).
    pub plane_dim: u32,
    /// Cubes of a cluster along x, y, z.
    pub cluster_dim: [u32; 3],
}

impl Default for Options {
    fn default() -> Self {
        Options {
            find: Find::FAULTS,
            max_steps: 1 << 36,
            max_memory: 4 << 30,
            schedule: Schedule::InOrder,
            plane_dim: 32,
            cluster_dim: [1; 3],
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The findings, in the order of their detection.
    pub findings: Vec<Finding>,
    /// Instructions that all units execute in total.
    pub steps: u64,
    /// The printed texts, one for each print.
    pub printed: Vec<String>,
}

/// The reason why a run stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The kernel exceeds the limit on steps.
    Steps {
        /// The limit.
        max: u64,
        /// The instruction at the limit.
        site: Site,
        /// The texts that the kernel printed before it reached the limit.
        printed: Vec<String>,
    },
    /// The run exceeds the limit on memory.
    Memory {
        /// The limit.
        max: u64,
        /// The bytes needed.
        needed: u64,
    },
    /// An argument is invalid for the kernel.
    Argument(String),
    /// The kernel reported a failure and stopped itself.
    Stopped {
        /// The message of the kernel.
        why: String,
        /// The texts that the kernel printed before it stopped.
        printed: Vec<String>,
    },
}

impl Fault {
    /// The error code of the fault.
    pub fn code(&self) -> String {
        self.message().code.unwrap_or_default()
    }

    /// The message, without a location.
    pub fn message(&self) -> Message {
        match self {
            Fault::Steps { max, .. } => diagnostic!(CUBE0702.steps { max }),
            Fault::Memory { max, needed } => diagnostic!(CUBE0703.memory { needed, limit: max }),
            Fault::Argument(why) => diagnostic!(CUBE0608.refused { why }),
            Fault::Stopped { why, .. } => diagnostic!(CUBE0943.stopped { why }),
        }
    }

    /// The texts that the kernel printed before it stopped.
    pub fn printed(&self) -> &[String] {
        match self {
            Fault::Steps { printed, .. } | Fault::Stopped { printed, .. } => printed,
            Fault::Memory { .. } | Fault::Argument(_) => &[],
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Steps { max, site, .. } => {
                write!(f, "{site}: the launch exceeds {max} steps; use a smaller launch, or raise --max-steps")
            }
            Fault::Memory { max, needed } => {
                write!(
                    f,
                    "the run requires {needed} bytes in addition to its arguments, but the limit is {max}; disable findings, or use smaller buffers"
                )
            }
            Fault::Argument(message) | Fault::Stopped { why: message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}
