//! Deferred clearing of new buffers: the first command that uses a buffer clears the buffer.
//!
//! A buffer that must be zero gets no command when it is allocated. If its first command is a launch that overwrites each
//! byte ([`BoundLaunch::overwrites`]), the buffer is never cleared. Otherwise the device clears the buffer before
//! its first command.
use crate::context::{ContextGuard, Failure};
use crate::device::GpuDevice;
use crate::driver::Driver;
use crate::memory::own;
use crate::pending_clear::Overwritten;
use cube_runtime::launch::{BoundLaunch, LaunchPlan};
use cube_runtime::{Arg, Buffer, Queue};

impl<D: Driver> GpuDevice<D> {
    /// Clears the buffers of a launch, except those that the launch overwrites. `bound` is the launch of `args`.
    ///
    /// # Errors
    /// A buffer belongs to another device, or the driver refuses the clearing.
    pub(crate) fn clear_for_launch<'a>(
        &self,
        entered: &ContextGuard<'_, D>,
        queue: Queue,
        plan: &LaunchPlan,
        bound: &BoundLaunch<'_>,
        args: &'a [Arg],
    ) -> Result<Overwritten<'a>, Failure> {
        let mut overwritten = Overwritten::default();
        for (index, arg) in args.iter().enumerate() {
            let Arg::Buffer { buffer, .. } = arg else { continue };
            let allocation = own(buffer, &self.contexts)?;
            if !allocation.clearing.is_pending() {
                continue;
            }
            let is_whole = buffer.offset() == 0 && buffer.size() == allocation.bytes;
            if is_whole && is_alone(args, index) && bound.overwrites(plan, index) {
                if overwritten.add(&allocation.clearing) {
                    continue;
                }
                // A thread that waits for a lock holds no other lock, so two threads never wait for each other.
                drop(overwritten);
                self.clear_all(entered, queue, buffers(args))?;
                return Ok(Overwritten::default());
            }
            allocation.clear(entered, queue)?;
        }
        Ok(overwritten)
    }

    /// Clears those of the buffers for which clearing is pending.
    ///
    /// # Errors
    /// A buffer belongs to another device, or the driver refuses the clearing.
    pub(crate) fn clear_all<'a>(
        &self,
        entered: &ContextGuard<'_, D>,
        queue: Queue,
        mut buffers: impl Iterator<Item = &'a Buffer>,
    ) -> Result<(), Failure> {
        buffers.try_for_each(|buffer| Ok(own(buffer, &self.contexts)?.clear(entered, queue)?))
    }
}

fn buffers(args: &[Arg]) -> impl Iterator<Item = &Buffer> {
    args.iter().filter_map(|arg| if let Arg::Buffer { buffer, .. } = arg { Some(buffer) } else { None })
}

/// Whether no other argument has a byte in common with the buffer argument `index`.
fn is_alone(args: &[Arg], index: usize) -> bool {
    let Arg::Buffer { buffer, .. } = &args[index] else { return false };
    let shares = |arg: &Arg| matches!(arg, Arg::Buffer { buffer: other, .. } if other.overlaps(buffer));
    !args.iter().enumerate().any(|(other, arg)| other != index && shares(arg))
}
