//! Earlier launches of a kernel, so that a launch with the same facts is neither checked nor computed again.
//!
//! All checks of [`super::bind_into`] and all values of the plan depend on the facts of a launch: the cube count, the limits
//! of the device, and for each argument its type, its size, the offset in its allocation and its dimensions. Which allocations
//! the buffers belong to matters only for the rules about common bytes ([`super::alias`]), which each launch checks. The value
//! of a scalar matters only if a step of the plan reads it.
use super::{Arg, Dims, Scalar};
use crate::properties::DeviceProperties;
use cube_artifact::ElemType;

/// Number of launches that a kernel remembers. A program that uses a kernel for more shapes in turns computes each launch again.
const LAUNCHES: usize = 4;

/// The limits of a device that the checks of a launch read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    cube_count: [u32; 3],
    cube_dim: [u32; 3],
    units: u32,
    shared_bytes: u32,
    alignment: u32,
}

impl Limits {
    fn of(device: &DeviceProperties) -> Limits {
        Limits {
            cube_count: device.max_cube_count,
            cube_dim: device.max_cube_dim,
            units: device.max_units_per_cube,
            shared_bytes: device.max_shared_bytes,
            alignment: device.buffer_alignment,
        }
    }
}

/// The facts of an argument.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation for each launch with other facts")]
enum Fact {
    Buffer {
        size: u64,
        offset: u64,
        elem: ElemType,
        dims: Option<Dims>,
    },
    /// The value of the scalar if a step reads it, and 0 otherwise.
    Scalar {
        elem: ElemType,
        read: u64,
    },
}

impl Fact {
    fn of(arg: &Arg, is_read: bool) -> Fact {
        match arg {
            Arg::Buffer { buffer, elem, dims, .. } => {
                Fact::Buffer { size: buffer.size(), offset: buffer.offset(), elem: *elem, dims: dims.clone() }
            }
            Arg::Scalar(scalar) => Fact::Scalar { elem: scalar.elem(), read: read(*scalar, is_read) },
        }
    }

    fn is_of(&self, arg: &Arg, is_read: bool) -> bool {
        match (self, arg) {
            (Fact::Buffer { size, offset, elem, dims }, Arg::Buffer { buffer, elem: given, dims: of, .. }) => {
                *size == buffer.size() && *offset == buffer.offset() && elem == given && dims == of
            }
            (Fact::Scalar { elem, read: before }, Arg::Scalar(scalar)) => {
                *elem == scalar.elem() && *before == read(*scalar, is_read)
            }
            _ => false,
        }
    }
}

fn read(scalar: Scalar, is_read: bool) -> u64 {
    if is_read { scalar.slot() } else { 0 }
}

/// The results of a launch that its facts determine.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// The slots of the derived scalars.
    pub derived: Vec<u64>,
    pub info: Vec<u64>,
    /// The values of the steps of the plan.
    pub values: Vec<u64>,
    pub cube_count: [u32; 3],
    pub cubes: u64,
}

/// A launch that has passed all checks.
#[derive(Debug)]
struct Launch {
    limits: Limits,
    requested: [u32; 3],
    facts: Vec<Fact>,
    outcome: Outcome,
}

/// Earlier launches of a kernel.
#[derive(Debug, Default)]
pub(super) struct Memo {
    launches: Vec<Launch>,
    /// The entry that the next launch with other facts replaces.
    next: usize,
}

impl Memo {
    /// The outcome of an earlier launch with the same facts. `is_read` states for each argument whether a step reads it.
    pub fn find(
        &self,
        args: &[Arg],
        requested: [u32; 3],
        device: &DeviceProperties,
        is_read: &[bool],
    ) -> Option<&Outcome> {
        let is_same = |launch: &&Launch| {
            launch.requested == requested
                && launch.facts.len() == args.len()
                && launch.facts.iter().zip(args).zip(is_read).all(|((fact, arg), is_read)| fact.is_of(arg, *is_read))
                && launch.limits == Limits::of(device)
        };
        self.launches.iter().find(is_same).map(|launch| &launch.outcome)
    }

    /// Remembers a launch that has passed all checks. `outcome` writes its outcome. The vectors of an entry are reused, so that
    /// launches with facts in turns allocate nothing.
    pub fn remember(
        &mut self,
        args: &[Arg],
        requested: [u32; 3],
        device: &DeviceProperties,
        is_read: &[bool],
        outcome: impl FnOnce(&mut Outcome),
    ) {
        let limits = Limits::of(device);
        if self.launches.len() < LAUNCHES {
            self.next = self.launches.len();
            self.launches.push(Launch { limits, requested, facts: Vec::new(), outcome: Outcome::default() });
        }
        let launch = &mut self.launches[self.next];
        self.next = (self.next + 1) % LAUNCHES;
        (launch.limits, launch.requested) = (limits, requested);
        launch.facts.clear();
        launch.facts.extend(args.iter().zip(is_read).map(|(arg, is_read)| Fact::of(arg, *is_read)));
        outcome(&mut launch.outcome);
    }
}
