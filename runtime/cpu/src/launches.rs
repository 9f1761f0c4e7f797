//! Launches on the CPU: on the calling thread, or as a command of a queue.
use crate::code::Code;
use crate::command::{Command, inputs};
use crate::device::CpuDevice;
use crate::launch::Launcher;
use crate::memory::{own, own_allocation};
use cube_runtime::launch::{Known, Repeat, known};
use cube_runtime::prints::Prints;
use cube_runtime::{Arg, Buffer, Kernel, Queue, RuntimeError};

impl CpuDevice {
    pub(crate) fn launch_counted(
        &self,
        queue: Queue,
        kernel: &Kernel,
        args: &[Arg],
        count: [u32; 3],
    ) -> Result<(), RuntimeError> {
        let code = kernel.code::<Code>().ok_or_else(foreign_kernel)?;
        let artifact = kernel.artifact();
        if artifact.prints.is_empty() {
            let buffers =
                args.iter().filter_map(|arg| if let Arg::Buffer { buffer, .. } = arg { Some(buffer) } else { None });
            let scalars =
                args.iter().filter_map(|arg| if let Arg::Scalar(scalar) = arg { Some(scalar.slot()) } else { None });
            let mut failure = None;
            // The closure stores an error, because a result of the size of an error would be copied for each launch.
            let repeat = |known: Known<'_>| {
                let launched = self.launch_again(queue, kernel, code, &known, buffers.zip(kernel.writes()), scalars);
                launched.map(|launched| failure = launched.err()).is_some()
            };
            let properties = &self.launcher().properties;
            if known(artifact, kernel.plan(), args, count, properties, repeat) == Some(true) {
                return failure.map_or(Ok(()), Err);
            }
        }
        self.launch_new(queue, kernel, code, args, count)
    }

    /// Checks a launch that this thread does not remember. The function is separate, so that a repeated launch stores few registers.
    #[inline(never)]
    fn launch_new(
        &self,
        queue: Queue,
        kernel: &Kernel,
        code: &Code,
        args: &[Arg],
        count: [u32; 3],
    ) -> Result<(), RuntimeError> {
        let prints = Prints::new(self, kernel.artifact())?;
        let bound = self.launcher().bind(kernel, args, count, prints.buffer())?;
        let (known, scalars) = bound.known(kernel.artifact());
        let (buffers, scalars) = (bound.buffers.iter().copied(), scalars.iter().copied());
        let launched = self.launch_known(queue, kernel, code, &known, buffers, scalars, prints.buffer().is_some());
        Launcher::store_arrays(bound);
        launched?;
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
        let Some(code) = kernel.code::<Code>() else { return Ok(false) };
        if !repeat.is_same(kernel, buffers, scalars) {
            return Ok(false);
        }
        let buffers = buffers.iter().copied().zip(repeat.parts().iter().map(|part| part.writes));
        let launched = self.launch_again(queue, kernel, code, &repeat.known(), buffers, scalars.iter().copied());
        launched.map_or(Ok(false), |launched| launched.map(|()| true))
    }

    /// Launches a kernel with the values of an earlier launch. `None` if a buffer belongs to another device.
    #[inline]
    fn launch_again<'a>(
        &self,
        queue: Queue,
        kernel: &Kernel,
        code: &Code,
        known: &Known<'_>,
        buffers: impl Iterator<Item = (&'a Buffer, bool)> + Clone,
        scalars: impl Iterator<Item = u64> + Clone,
    ) -> Option<Result<(), RuntimeError>> {
        let memory = &self.launcher().memory;
        if !buffers.clone().all(|(buffer, _)| own_allocation(memory, buffer).is_ok()) {
            return None;
        }
        Some(self.launch_known(queue, kernel, code, known, buffers, scalars, false))
    }

    /// Runs or queues a launch that has passed the checks. A launch that `blocks` is complete when the call returns.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the parts of a launch, which have different owners")]
    fn launch_known<'a>(
        &self,
        queue: Queue,
        kernel: &Kernel,
        code: &Code,
        known: &Known<'_>,
        buffers: impl Iterator<Item = (&'a Buffer, bool)> + Clone,
        scalars: impl Iterator<Item = u64> + Clone,
        blocks: bool,
    ) -> Result<(), RuntimeError> {
        let launcher = self.launcher();
        let is_short = launcher.is_short(code, known, scalars.clone());
        // A short launch waits until the preceding short launches have completed, and then runs on the calling thread.
        // If it were queued, all later launches on its buffers would also be queued, and the thread of one queue would
        // execute the launches of all threads of the program.
        let is_ready = || self.queues.poll_short(|| self.is_free(queue, buffers.clone().map(|(buffer, _)| buffer)));
        if known.cubes == 0 {
            return Ok(());
        }
        if launcher.blocks() || blocks || is_short && is_ready() {
            self.wait_for(queue, buffers.clone())?;
            inputs(buffers.clone())?;
            launcher.run(kernel.artifact(), code, known, buffers.clone(), scalars)?;
            let written = buffers.filter(|(_, writes)| *writes).filter_map(|(buffer, _)| own(buffer).ok());
            written.for_each(|allocation| allocation.tracking.succeed());
            return Ok(());
        }
        let fill = |command: &mut Command| {
            command.set_launch(kernel, known, scalars);
            command.is_short = is_short;
            buffers.clone().all(|(buffer, writes)| command.add(buffer, writes))
        };
        self.queues.submit(queue, fill).map(drop)
    }

    /// Launches a kernel with a cube count that is in a buffer. The thread of the queue reads the cube count
    /// when the launch executes.
    pub(crate) fn launch_indirect(
        &self,
        queue: Queue,
        kernel: &Kernel,
        args: &[Arg],
        count: &Buffer,
    ) -> Result<(), RuntimeError> {
        self.own(count)?;
        let counted = count_in(count)?;
        if self.launcher().blocks() || !kernel.artifact().prints.is_empty() {
            self.wait_for(queue, [(count, false)].into_iter())?;
            return self.launch_counted(queue, kernel, args, counted()?);
        }
        // This call binds the arguments with a cube count of 0, to check them now. The launch checks them again with
        // the actual cube count.
        Launcher::store_arrays(self.launcher().bind(kernel, args, [0; 3], None)?);
        let mut buffers = vec![(count, false)];
        let given =
            args.iter().filter_map(|arg| if let Arg::Buffer { buffer, .. } = arg { Some(buffer) } else { None });
        buffers.extend(given.zip(kernel.writes()));
        let (kernel, args, launcher) = (kernel.clone(), args.to_vec(), self.queues.shared());
        let call = move |inputs: Result<(), RuntimeError>| {
            let launch = || {
                inputs?;
                let launcher = launcher.executor();
                let bound = launcher.bind(&kernel, &args, counted()?, None)?;
                let code = kernel.code::<Code>().ok_or_else(foreign_kernel)?;
                let outcome =
                    if bound.cubes == 0 { Ok(()) } else { launcher.run_bound(kernel.artifact(), code, &bound) };
                Launcher::store_arrays(bound);
                outcome
            };
            launch().map_err(|error: RuntimeError| error.in_kernel(&kernel.artifact().kernel))
        };
        self.call(queue, &buffers, Box::new(call))
    }
}

fn foreign_kernel() -> RuntimeError {
    RuntimeError::user("it was loaded by another device; load the kernel on this device")
}

/// Returns a function that reads three `u32` from the start of a buffer.
fn count_in(buffer: &Buffer) -> Result<impl Fn() -> Result<[u32; 3], RuntimeError> + Send + 'static, RuntimeError> {
    let (buffer, range) = (buffer.clone(), buffer.range_of(0, 12)?);
    own(&buffer)?;
    Ok(move || {
        let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>();
        let words = own(&buffer)?.read(range.clone(), words);
        Ok([words[0], words[1], words[2]])
    })
}
