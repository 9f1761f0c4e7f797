//! The last launches of a thread, so that a launch with the same facts is neither checked nor computed again.
//!
//! Each thread has its own, because launches of one kernel by several threads would wait for each other at a common lock.
//!
//! The memo serves [`crate::Device::launch_on`]: the C interface, the tools, launches whose number of cubes is in a buffer, and
//! launches from Rust that their thread does not remember, for example of several shapes in turn. A launch that its thread
//! remembers goes to [`crate::Device::repeat`] with the results of its checks ([`super::Repeat`]), and does not come here.
//!
//! All checks of [`super::bind_into`] and all values of the plan depend on the facts of a launch: the cube count, the limits
//! of the device, and for each argument its type, its size, the offset in its allocation and its dimensions. Which allocations
//! the buffers belong to matters only for the rules about common bytes ([`super::alias`]), which each launch checks. The value
//! of a scalar matters only if a step of the plan reads it.
use super::{Arg, Dims, LaunchPlan, Scalar};
use crate::properties::DeviceProperties;
use cube_artifact::ElemType;
use std::cell::RefCell;

/// Number of launches that a kernel remembers. A program that uses a kernel for more shapes in turns computes each launch again.
const LAUNCHES: usize = 4;

/// Number of kernels whose launches a thread remembers. Kernels whose numbers are equal modulo this number share a place.
const KERNELS: usize = 128;

thread_local!(static MEMOS: RefCell<Vec<Memo>> = const { RefCell::new(Vec::new()) });

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

    #[inline]
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

/// Earlier launches of a kernel by one thread.
#[derive(Debug, Default)]
struct Memo {
    /// The number of the kernel.
    kernel: u64,
    launches: Vec<Launch>,
    /// The entry that the next launch with other facts replaces.
    next: usize,
}

/// The values that the checks of a launch read.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    /// The number of the kernel, which no other kernel of the process has.
    pub kernel: u64,
    pub args: &'a [Arg],
    pub requested: [u32; 3],
    pub device: &'a DeviceProperties,
    /// For each argument, whether a step of the plan reads it.
    pub is_read: &'a [bool],
}

impl<'a> Key<'a> {
    /// The key of a launch. `None` for a plan of one launch, which threads do not remember.
    pub fn of(
        plan: &'a LaunchPlan,
        args: &'a [Arg],
        requested: [u32; 3],
        device: &'a DeviceProperties,
    ) -> Option<Key<'a>> {
        plan.kernel.map(|kernel| Key { kernel, args, requested, device, is_read: &plan.is_read })
    }

    #[inline]
    fn is_of(&self, launch: &Launch) -> bool {
        launch.requested == self.requested
            && launch.facts.len() == self.args.len()
            && launch.facts.iter().zip(self.args).zip(self.is_read).all(|((fact, arg), read)| fact.is_of(arg, *read))
            && launch.limits == Limits::of(self.device)
    }

    /// Calls `use_outcome` with the outcome of an earlier launch of this thread with the same facts, if this thread remembers such a launch.
    #[inline]
    pub fn find<R>(&self, use_outcome: impl FnOnce(&Outcome) -> R) -> Option<R> {
        let find = |memos: &RefCell<Vec<Memo>>| {
            let memos = memos.try_borrow().ok()?;
            let memo = memos.get(self.kernel as usize % KERNELS).filter(|memo| memo.kernel == self.kernel)?;
            memo.launches.iter().find(|launch| self.is_of(launch)).map(|launch| use_outcome(&launch.outcome))
        };
        // While a thread ends, its memory can already be destroyed.
        MEMOS.try_with(find).ok().flatten()
    }

    /// Remembers a launch that has passed all checks. `outcome` writes its outcome. The vectors of an entry are reused, so that
    /// launches with facts in turns allocate nothing.
    pub fn remember(&self, outcome: impl FnOnce(&mut Outcome)) {
        let _ = MEMOS.try_with(|memos| {
            // A launch in the function of `find` is not remembered.
            let Ok(mut memos) = memos.try_borrow_mut() else { return };
            if memos.is_empty() {
                memos.resize_with(KERNELS, Memo::default);
            }
            let memo = &mut memos[self.kernel as usize % KERNELS];
            if memo.kernel != self.kernel {
                *memo = Memo { kernel: self.kernel, ..Memo::default() };
            }
            let limits = Limits::of(self.device);
            if memo.launches.len() < LAUNCHES {
                memo.next = memo.launches.len();
                let (requested, facts, outcome) = (self.requested, Vec::new(), Outcome::default());
                memo.launches.push(Launch { limits, requested, facts, outcome });
            }
            let launch = &mut memo.launches[memo.next];
            memo.next = (memo.next + 1) % LAUNCHES;
            (launch.limits, launch.requested) = (limits, self.requested);
            launch.facts.clear();
            launch.facts.extend(self.args.iter().zip(self.is_read).map(|(arg, is_read)| Fact::of(arg, *is_read)));
            outcome(&mut launch.outcome);
        });
    }
}
