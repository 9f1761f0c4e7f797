//! What a run is given, and what comes of it.
use crate::findings::{Find, Finding};
use crate::program::Site;
use cube_artifact::{Message, codes, diagnostic};
use std::fmt;

/// One argument of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A buffer: its elements in little endian, a bool in a byte. The run leaves its result here.
    Buffer {
        /// The elements.
        bytes: Vec<u8>,
        /// Whether the kernel may read what is there from the start; else such a read is a finding.
        initialised: bool,
    },
    /// A buffer that the host describes by a shape. Its length is the product of the shape, whatever its memory holds.
    Tensor {
        /// The elements of its memory.
        bytes: Vec<u8>,
        /// As for a buffer.
        initialised: bool,
        /// Elements along each dimension, at most 8.
        shape: Vec<u64>,
        /// Elements between neighbours along each dimension.
        strides: Vec<u64>,
    },
    /// A scalar: its pattern in the low bits.
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
    /// Cubes one after the other, units inside them, x fastest.
    #[default]
    InOrder,
    /// Cubes one after the other, the units inside them from the last to the first.
    LastFirst,
    /// Cubes and the units inside them in an order drawn from the seed.
    Shuffled(u64),
}

/// How a kernel is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is looked for.
    pub find: Find,
    /// Instructions that all units together may take.
    pub max_steps: u64,
    /// Bytes that the run may take beside the arguments.
    pub max_memory: u64,
    /// The order of units.
    pub schedule: Schedule,
    /// Units of a plane, 1 to 128, of a kernel that does not choose itself ([`crate::Program::plane_dim`]).
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

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What is wrong with the kernel, in the order met.
    pub findings: Vec<Finding>,
    /// Instructions taken by all units together.
    pub steps: u64,
    /// What the kernel printed, a line for each time.
    pub printed: Vec<String>,
}

/// Why a run did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The kernel runs longer than allowed.
    Steps {
        /// The limit.
        max: u64,
        /// Where it was met.
        site: Site,
        /// What the kernel printed till then.
        printed: Vec<String>,
    },
    /// The run needs more memory than allowed.
    Memory {
        /// The limit.
        max: u64,
        /// What it needs.
        needed: u64,
    },
    /// An argument does not fit the kernel.
    Argument(String),
    /// The kernel stopped itself.
    Stopped {
        /// What it said of that.
        why: String,
        /// What it printed till then.
        printed: Vec<String>,
    },
}

impl Fault {
    /// Its code.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Steps { .. } => "CUBE0702",
            Fault::Memory { .. } => "CUBE0703",
            Fault::Argument(_) => "CUBE0608",
            Fault::Stopped { .. } => codes::KERNEL_STOPPED,
        }
    }

    /// It as a message without a location.
    pub fn message(&self) -> Message {
        match self {
            Fault::Steps { max, .. } => diagnostic!(CUBE0702.steps { max }),
            Fault::Memory { max, needed } => diagnostic!(CUBE0703.memory { needed, limit: max }),
            Fault::Argument(why) => diagnostic!(CUBE0608.refused { why }),
            Fault::Stopped { why, .. } => diagnostic!(CUBE0943.stopped { why }),
        }
    }

    /// What the kernel printed before it came to its end.
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
                write!(f, "{site}: the launch takes more than {max} steps; use a smaller one, or raise --max-steps")
            }
            Fault::Memory { max, needed } => {
                write!(
                    f,
                    "the run takes {needed} bytes beside its arguments, the limit is {max}: look for less, or use smaller buffers"
                )
            }
            Fault::Argument(message) | Fault::Stopped { why: message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}
