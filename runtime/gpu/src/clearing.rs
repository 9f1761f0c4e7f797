//! Deferred clearing of new buffers: the first command that uses a buffer clears the buffer.
//!
//! A buffer that must be zero gets no command when it is allocated. If its first command is a launch that overwrites each
//! byte ([`cube_runtime::launch::overwrites`]), the buffer is never cleared. Otherwise the device clears the buffer before
//! its first command.
use crate::context::{ContextGuard, Failure};
use crate::device::GpuDevice;
use crate::driver::{Address, Driver, DriverResult};
use crate::memory::{Allocation, own};
use cube_runtime::launch::overwrites;
use cube_runtime::{Arg, Buffer, Kernel, Queue};
use std::iter::once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of buffers of one launch that stay without clearing.
const MAX_HELD: usize = 4;

/// Whether an allocation must be cleared before its next command.
#[derive(Default)]
pub(crate) struct PendingClear {
    /// Changes from `true` to `false` once, under the lock of `order`.
    pending: AtomicBool,
    /// Held while the first command is submitted, so that no other command precedes it.
    order: Mutex<()>,
}

impl PendingClear {
    pub fn new(pending: bool) -> Self {
        PendingClear { pending: AtomicBool::new(pending), order: Mutex::default() }
    }

    fn is_pending(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }
}

impl<D: Driver> Allocation<D> {
    /// The address of a byte, for a command of `queue`. The allocation is cleared first, if that is pending.
    ///
    /// # Errors
    /// The allocation belongs to an earlier context, or the driver refuses the clearing.
    pub fn address(&self, entered: &ContextGuard<'_, D>, queue: Queue, offset: u64) -> Result<Address, Failure> {
        let address = self.present_address(entered, offset)?;
        self.clear(entered, queue)?;
        Ok(address)
    }

    /// Clears the allocation, if that is pending.
    fn clear(&self, entered: &ContextGuard<'_, D>, queue: Queue) -> DriverResult<()> {
        if !self.clearing.is_pending() {
            return Ok(());
        }
        let _first = self.clearing.order.lock().unwrap_or_else(PoisonError::into_inner);
        if self.clearing.is_pending() {
            let clear = |engine: &crate::engine::Engine<D>, stream| engine.clear(stream, self.address, self.bytes);
            entered.submit(queue, once((&self.uses, true)), clear)?;
            self.clearing.pending.store(false, Ordering::Release);
        }
        Ok(())
    }
}

/// The allocations that a launch overwrites. No other command uses them until this value is dropped.
#[derive(Default)]
pub(crate) struct Overwritten<'a>([Option<(&'a PendingClear, MutexGuard<'a, ()>)>; MAX_HELD]);

impl<'a> Overwritten<'a> {
    /// Adds an allocation. Returns `false` if another thread submits a command for it, or if the array is full.
    fn add(&mut self, clearing: &'a PendingClear) -> bool {
        let Some(slot) = self.0.iter_mut().find(|slot| slot.is_none()) else { return false };
        match clearing.order.try_lock() {
            // Another thread can have cleared the allocation in the meantime.
            Ok(guard) => _ = slot.insert((clearing, guard)),
            Err(_) => return false,
        }
        true
    }

    /// States that the launch is submitted.
    pub fn are_written(self) {
        for (clearing, _guard) in self.0.into_iter().flatten() {
            clearing.pending.store(false, Ordering::Release);
        }
    }
}

impl<D: Driver> GpuDevice<D> {
    /// Clears the buffers of a launch, except those that the launch overwrites.
    ///
    /// # Errors
    /// A buffer belongs to another device, or the driver refuses the clearing.
    pub(crate) fn clear_for_launch<'a>(
        &self,
        entered: &ContextGuard<'_, D>,
        queue: Queue,
        kernel: &Kernel,
        args: &'a [Arg],
        cubes: [u32; 3],
    ) -> Result<Overwritten<'a>, Failure> {
        let mut overwritten = Overwritten::default();
        for (index, arg) in args.iter().enumerate() {
            let Arg::Buffer { buffer, .. } = arg else { continue };
            let allocation = own(buffer, &self.contexts)?;
            if !allocation.clearing.is_pending() {
                continue;
            }
            let is_whole = buffer.offset() == 0 && buffer.size() == allocation.bytes;
            if is_whole
                && is_alone(args, index)
                && overwrites(kernel.artifact(), kernel.plan(), args, cubes, &self.facts.properties, index)
            {
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
