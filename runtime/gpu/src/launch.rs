//! Launches: a launch with checked arguments, and the repetition of an earlier launch.
use crate::clearing::Target;
use crate::context::{ContextGuard, Failure, unexpected};
use crate::device::GpuDevice;
use crate::driver::{Class, Driver, DriverError};
use crate::kernel::{self, Loaded};
use crate::memory::{Allocation, own};
use crate::streams::Use;
use cube_artifact::Artifact;
use cube_runtime::launch::{BoundLaunch, LaunchArrays, Repeat, bind_into};
use cube_runtime::prints::Prints;
use cube_runtime::{Arg, Buffer, ErrorKind, Kernel, Queue, RuntimeError};
use std::cell::Cell;

/// Maximum number of parameters of the code of a kernel whose launches are repeated.
const MAX_REPEATED: usize = 32;

/// Empty arrays that a thread reuses for its launches.
#[derive(Default)]
struct Arrays {
    launch: LaunchArrays,
    /// Addresses of the buffers.
    addresses: Vec<u64>,
    /// Values of the code's parameters.
    slots: Vec<u64>,
}

thread_local!(static ARRAYS: Cell<Option<Arrays>> = const { Cell::new(None) });

impl<D: Driver> GpuDevice<D> {
    /// Checks a launch and submits it.
    pub(crate) fn launch_counted(
        &self,
        queue: Queue,
        kernel: &Kernel,
        args: &[Arg],
        cubes: [u32; 3],
    ) -> Result<(), RuntimeError> {
        self.launch(queue, kernel, args, cubes).map_err(|error| launch_error(error, kernel))
    }

    fn launch<'a>(&self, queue: Queue, kernel: &Kernel, args: &'a [Arg], cubes: [u32; 3]) -> Result<(), RuntimeError> {
        let artifact = kernel.artifact();
        let loaded = self.loaded(kernel)?;
        let prints = Prints::new(self, artifact)?;
        // If one of these steps fails, the arrays are dropped, and the next launch of this thread allocates new arrays.
        let Arrays { launch, mut addresses, mut slots } = ARRAYS.take().unwrap_or_default();
        let bound = bind_into(artifact, kernel.plan(), args, cubes, &self.facts.properties, launch)?;
        let bound = bound.with_prints(prints.buffer());
        bound.buffers.iter().try_for_each(|(buffer, _)| own(buffer, &self.contexts).map(drop))?;
        if bound.cubes > 0 {
            let target = |(index, arg): (usize, &'a Arg)| {
                let Arg::Buffer { buffer, .. } = arg else { return None };
                let allocation = own(buffer, &self.contexts).ok()?;
                let (bytes, overwrites) = (buffer.offset()..buffer.end(), bound.overwrites(kernel.plan(), index));
                Some(Target { allocation, bytes, overwrites })
            };
            let launch = |entered: &ContextGuard<'_, D>| {
                self.clear_all(entered, queue, prints.buffer().into_iter())?;
                let overwritten = self.clear_for_launch(entered, queue, args.iter().enumerate().filter_map(target))?;
                self.parameters(entered, loaded, &bound, &mut addresses, &mut slots)?;
                let function = self.function(entered, loaded, artifact)?;
                entered.submit(queue, self.uses(&bound), |engine, stream| {
                    kernel::launch(engine, stream, function, &loaded.grid(bound.cube_count), &mut slots)
                })?;
                overwritten.are_written();
                self.contexts.note(loaded.name());
                Ok(())
            };
            self.contexts.with(launch, |error| refused_launch::<D>(error, artifact))?;
        }
        addresses.clear();
        slots.clear();
        ARRAYS.set(Some(Arrays { launch: bound.into_arrays(), addresses, slots }));
        prints.show(self)
    }

    /// See [`cube_runtime::Device::repeat`].
    pub(crate) fn repeat_launch(
        &self,
        queue: Queue,
        kernel: &Kernel,
        repeat: &Repeat,
        buffers: &[&Buffer],
        scalars: &[u64],
    ) -> Result<bool, RuntimeError> {
        let Ok(loaded) = self.loaded(kernel) else { return Ok(false) };
        let is_simple = repeat.cubes() > 0 && loaded.parameter_count() <= MAX_REPEATED;
        if !is_simple || !repeat.allows(kernel, buffers, scalars) {
            return Ok(false);
        }
        let mut slots = [0; MAX_REPEATED];
        let slots = &mut slots[..loaded.parameter_count()];
        let launch = |entered: &ContextGuard<'_, D>| {
            let mut must_clear = false;
            let address = |n: usize| {
                let bytes = &repeat.parts()[n].bytes;
                let allocation = buffers[n].storage::<Allocation<D>>().filter(|found| found.is_of(&self.contexts))?;
                must_clear |= allocation.clearing.is_pending();
                allocation.address_in(entered, bytes)
            };
            if !loaded.repeated_parameters(repeat, scalars, address, slots) {
                return Ok(false);
            }
            let allocations = || buffers.iter().filter_map(|buffer| buffer.storage::<Allocation<D>>());
            let used = || allocations().zip(repeat.parts());
            let overwritten = match must_clear {
                true => Some(self.clear_for_launch(
                    entered,
                    queue,
                    used().map(|(allocation, part)| {
                        let (bytes, overwrites) = (part.bytes.clone(), part.overwrites);
                        Target { allocation, bytes, overwrites }
                    }),
                )?),
                false => None,
            };
            let function = self.function(entered, loaded, kernel.artifact())?;
            let uses = used().map(|(allocation, part)| (&allocation.uses, part.writes));
            entered.submit(queue, uses, |engine, stream| {
                kernel::launch(engine, stream, function, &loaded.grid(repeat.cube_count()), slots)
            })?;
            if let Some(overwritten) = overwritten {
                overwritten.are_written();
            }
            self.contexts.note(loaded.name());
            Ok(true)
        };
        let launched = self.contexts.with(launch, |error| refused_launch::<D>(error, kernel.artifact()));
        launched.map_err(|error| launch_error(error, kernel))
    }

    pub(crate) fn function(
        &self,
        entered: &ContextGuard<'_, D>,
        loaded: &Loaded<D>,
        artifact: &Artifact,
    ) -> Result<crate::driver::Function, Failure> {
        loaded
            .function(artifact, entered, self.facts.properties.max_shared_bytes)
            .map_err(|refusal| self.refusal(refusal))
    }

    /// Computes the values of the parameters of the kernel's code. The buffers are cleared, or the kernel overwrites them.
    /// `addresses` and `slots` are empty.
    pub(crate) fn parameters(
        &self,
        entered: &ContextGuard<'_, D>,
        loaded: &Loaded<D>,
        bound: &BoundLaunch<'_>,
        addresses: &mut Vec<u64>,
        slots: &mut Vec<u64>,
    ) -> Result<(), RuntimeError> {
        for (buffer, _) in &bound.buffers {
            addresses.push(own(buffer, &self.contexts)?.present_address(entered, buffer.offset())?);
        }
        loaded.parameters(bound, addresses, slots);
        Ok(())
    }

    fn uses<'a>(&'a self, bound: &'a BoundLaunch<'_>) -> impl Iterator<Item = Use<'a>> + Clone {
        let uses = |(buffer, writes): &(&'a Buffer, bool)| Some((&own(buffer, &self.contexts).ok()?.uses, *writes));
        bound.buffers.iter().filter_map(uses)
    }
}

/// The error of a launch, with the name of its kernel.
fn launch_error(error: RuntimeError, kernel: &Kernel) -> RuntimeError {
    match error.kind {
        // The error of a fault already names the kernel that faulted. This can be a kernel of an earlier launch.
        ErrorKind::Fault => error,
        _ => error.in_kernel(&kernel.artifact().kernel),
    }
}

/// The message about a refused launch.
pub(crate) fn refused_launch<D: Driver>(error: &DriverError, artifact: &Artifact) -> RuntimeError {
    match error.class {
        Class::TooLarge => RuntimeError::device_limit(format!(
            "the device cannot run its cubes of {:?} units ({}); compile the kernel with a smaller cube dim",
            artifact.cube_dim, error.description
        )),
        _ => unexpected::<D>(error),
    }
}
