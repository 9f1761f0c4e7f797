//! Deferred clearing of new buffers: the first command that uses a buffer clears the buffer.
//!
//! A buffer that must be zero gets no command when it is allocated. If its first command is a launch that overwrites each
//! byte (`BoundLaunch::overwrites`), the buffer is never cleared. Otherwise the device clears the buffer before
//! its first command.
use crate::context::{ContextGuard, Failure};
use crate::device::GpuDevice;
use crate::driver::Driver;
use crate::memory::{Allocation, own};
use crate::pending_clear::Overwritten;
use cube_runtime::{Buffer, Queue};
use std::ops::Range;

/// A buffer of a launch.
pub(crate) struct Target<'a, D: Driver> {
    pub allocation: &'a Allocation<D>,
    pub bytes: Range<u64>,
    /// Whether the launch overwrites the buffer, if no other argument has a byte of it.
    pub overwrites: bool,
}

impl<D: Driver> GpuDevice<D> {
    /// Clears the buffers of a launch, except those that the launch overwrites.
    ///
    /// # Errors
    /// The driver refuses the clearing.
    pub(crate) fn clear_for_launch<'a>(
        &self,
        entered: &ContextGuard<'_, D>,
        queue: Queue,
        targets: impl Iterator<Item = Target<'a, D>> + Clone,
    ) -> Result<Overwritten<'a>, Failure> {
        let mut overwritten = Overwritten::default();
        for (index, Target { allocation, bytes, overwrites }) in targets.clone().enumerate() {
            if !allocation.clearing.is_pending() {
                continue;
            }
            // Any other part of the allocation has a byte of the whole allocation, or is empty.
            let shares = |other: &Target<'_, D>| std::ptr::eq(other.allocation, allocation) && !other.bytes.is_empty();
            let is_alone = || !targets.clone().enumerate().any(|(other, target)| other != index && shares(&target));
            if overwrites && bytes == (0..allocation.bytes) && is_alone() {
                if overwritten.add(&allocation.clearing) {
                    continue;
                }
                // A thread that waits for a lock holds no other lock, so two threads never wait for each other.
                drop(overwritten);
                targets.clone().try_for_each(|target| target.allocation.clear(entered, queue))?;
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
