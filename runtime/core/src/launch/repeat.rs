//! Launches that repeat an earlier launch with other allocations and other values of scalars.
//!
//! All checks of [`super::bind_into`] and all values of the plan depend on few facts of a launch (`memo.rs`). A caller that
//! knows that these facts are the same passes only the allocations and the scalars to [`crate::Device::repeat`]. The device then
//! neither checks nor computes the rest again. A [`Repeat`] refers to no memory of the device, so that a program can keep it.
use super::{Arg, BoundLaunch, Known, LaunchArrays, bind_into};
use crate::buffer::Buffer;
use crate::error::RuntimeError;
use crate::kernel::Kernel;
use crate::properties::DeviceProperties;
use std::ops::Range;

/// A buffer argument of a launch, without its allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The bytes of the allocation.
    pub bytes: Range<u64>,
    /// Whether the kernel writes the buffer.
    pub writes: bool,
    /// Whether the launch writes each byte without a read of the earlier contents, if no other argument has a byte of the
    /// buffer.
    pub overwrites: bool,
    /// Whether another argument can have exactly the same bytes.
    pub(super) in_place: bool,
}

impl Part {
    /// Whether the kernel must not receive both parts, if they belong to one allocation.
    fn conflicts(&self, other: &Part) -> bool {
        let is_common = self.bytes.start.max(other.bytes.start) < self.bytes.end.min(other.bytes.end);
        (self.writes || other.writes) && is_common && !(self.bytes == other.bytes && (self.in_place || other.in_place))
    }
}

/// A launch that has passed all checks, without its allocations and without the scalars that no expression reads.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// The identity of the kernel.
    kernel: u64,
    parts: Vec<Part>,
    /// The number of scalars.
    scalars: usize,
    /// The scalars that an expression reads, with their slots.
    pub(super) read: Vec<(usize, u64)>,
    info: Vec<u64>,
    derived: Vec<u64>,
    cube_count: [u32; 3],
    cubes: u64,
    /// Whether the kernel prints. Such a launch needs a buffer for its lines, and is never repeated.
    prints: bool,
}

impl Repeat {
    /// The launch of a kernel with these arguments.
    ///
    /// # Errors
    /// The errors of [`super::bind`].
    pub fn of(
        kernel: &Kernel,
        args: &[Arg],
        cubes: [u32; 3],
        device: &DeviceProperties,
    ) -> Result<Repeat, RuntimeError> {
        let (artifact, plan) = (kernel.artifact(), kernel.plan());
        let mut bound = bind_into(artifact, plan, args, cubes, device, LaunchArrays::default())?;
        let scalars = bound.scalars.len() - artifact.derived.len();
        let derived = bound.scalars.split_off(scalars);
        let (mut parts, mut read) = (Vec::new(), Vec::new());
        let mut written = bound.buffers.iter().map(|(_, writes)| *writes);
        let mut slots = bound.scalars.iter().copied().enumerate();
        for (argument, arg) in args.iter().enumerate() {
            match arg {
                Arg::Buffer { buffer, in_place, .. } => parts.push(Part {
                    bytes: buffer.offset()..buffer.offset() + buffer.size(),
                    writes: written.next().unwrap_or(true),
                    overwrites: bound.overwrites(plan, argument),
                    in_place: *in_place,
                }),
                Arg::Scalar(_) => read.extend(slots.next().filter(|_| plan.is_read[argument])),
            }
        }
        let BoundLaunch { info, cube_count, cubes, .. } = bound;
        let (kernel, prints) = (kernel.id(), !artifact.prints.is_empty());
        Ok(Repeat { kernel, parts, scalars, read, info, derived, cube_count, cubes, prints })
    }

    /// Whether a launch of `kernel` with these buffers and scalars follows all rules. The sizes of the allocations are not
    /// compared: [`Part::bytes`] must be within each of them.
    pub fn allows(&self, kernel: &Kernel, buffers: &[&Buffer], scalars: &[u64]) -> bool {
        self.kernel == kernel.id()
            && !self.prints
            && self.parts.len() == buffers.len()
            && self.scalars == scalars.len()
            && self.read.iter().all(|(scalar, slot)| scalars[*scalar] == *slot)
            && self.allows_common_bytes(buffers)
    }

    fn allows_common_bytes(&self, buffers: &[&Buffer]) -> bool {
        for (i, (part, buffer)) in self.parts.iter().zip(buffers).enumerate() {
            for (other, of) in self.parts[..i].iter().zip(buffers) {
                if buffer.same_allocation(of) && part.conflicts(other) {
                    return false;
                }
            }
        }
        true
    }

    /// The buffers, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The values that the facts of the launch determine.
    #[inline]
    pub fn known(&self) -> Known<'_> {
        Known { derived: &self.derived, info: &self.info, cube_count: self.cube_count, cubes: self.cubes }
    }

    /// The values of the info words, in the order of [`cube_artifact::Artifact::info`].
    pub fn info(&self) -> &[u64] {
        &self.info
    }

    /// The slots of the derived scalars, which follow the scalars of the launch.
    pub fn derived(&self) -> &[u64] {
        &self.derived
    }

    /// Number of cubes along x, y, z.
    pub fn cube_count(&self) -> [u32; 3] {
        self.cube_count
    }

    /// Total number of cubes.
    pub fn cubes(&self) -> u64 {
        self.cubes
    }

    /// Whether [`Repeat::allows`] holds, and each buffer has the range of the earlier launch.
    #[inline]
    pub fn is_same(&self, kernel: &Kernel, buffers: &[&Buffer], scalars: &[u64]) -> bool {
        let is_same =
            |(part, buffer): (&Part, &&Buffer)| part.bytes.start == buffer.offset() && part.bytes.end == buffer.end();
        self.allows(kernel, buffers, scalars) && self.parts.iter().zip(buffers).all(is_same)
    }

    /// The launch with these buffers and scalars, in the arrays of an earlier launch.
    ///
    /// # Errors
    /// [`Repeat::is_same`] does not hold. The function then returns the arrays.
    pub fn bind<'a>(
        &self,
        kernel: &Kernel,
        buffers: &[&'a Buffer],
        scalars: &[u64],
        arrays: LaunchArrays,
    ) -> Result<BoundLaunch<'a>, LaunchArrays> {
        if !self.is_same(kernel, buffers, scalars) {
            return Err(arrays);
        }
        let mut bound = BoundLaunch::of(arrays);
        bound.buffers.extend(buffers.iter().copied().zip(self.parts.iter().map(|part| part.writes)));
        bound.scalars.extend(scalars.iter().chain(&self.derived));
        bound.info.extend_from_slice(&self.info);
        (bound.cube_count, bound.cubes) = (self.cube_count, self.cubes);
        Ok(bound)
    }
}
