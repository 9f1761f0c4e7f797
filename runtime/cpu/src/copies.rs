//! Copies of bytes on the CPU, and copies between two CPU devices.
use crate::command::inputs;
use crate::device::CpuDevice;
use crate::memory::{SMALL_COPY, copy_of};
use cube_runtime::device::check_sizes;
use cube_runtime::transfer::promise;
use cube_runtime::{Buffer, Queue, RuntimeError};
use rayon::prelude::*;

/// Copies of at least this many bytes use all threads.
const PARALLEL_COPY: usize = 4 << 20;

impl CpuDevice {
    /// Copies bytes. A large copy uses all threads.
    pub(crate) fn copy_bytes(&self, from: &[u8], to: &mut [u8]) -> Result<(), RuntimeError> {
        if from.len() < PARALLEL_COPY || self.launcher().workers.threads() == 1 {
            to.copy_from_slice(from);
            return Ok(());
        }
        let chunk = 1 << 20;
        let pairs =
            || to.par_chunks_mut(chunk).zip(from.par_chunks(chunk)).for_each(|(to, from)| to.copy_from_slice(from));
        self.launcher().workers.install(pairs)
    }

    /// Copies from a buffer of another CPU device. A queue of `other` copies the bytes, after the commands of this device
    /// that use `to`. A command of this device waits for the copy. A command waits only for commands that were
    /// submitted earlier, so two copies in opposite directions cannot wait for each other.
    pub(crate) fn copy_from_other(
        &self,
        queue: Queue,
        to: &Buffer,
        other: &CpuDevice,
        source_queue: Queue,
        from: &Buffer,
    ) -> Result<(), RuntimeError> {
        check_sizes(from, to)?;
        other.own(from)?;
        let target = self.own(to)?;
        let copy = copy_of(from, to);
        let is_free = || other.is_free(source_queue, [from].into_iter()) && self.is_free(queue, [to].into_iter());
        if from.size() <= SMALL_COPY as u64 && is_free() {
            inputs([(from, false)].into_iter())?;
            copy()?;
            target.tracking.succeed();
            return Ok(());
        }
        let free = self.queues.end_after(queue, &target.tracking.before(true));
        let (promise, copied) = promise();
        let call = move |inputs: Result<(), RuntimeError>| {
            free.reach();
            promise.complete(inputs.and_then(|()| copy()));
            Ok(())
        };
        other.call(source_queue, &[(from, false)], Box::new(call))?;
        self.call(queue, &[(to, true)], Box::new(move |_| copied.wait())).inspect_err(|_| {
            // No command of this device protects the target of the copy.
            other.queues.wait_for_all();
        })
    }
}
