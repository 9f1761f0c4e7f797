//! Launches on the CPU: on the calling thread, or as a command of a queue.
use crate::code::Code;
use crate::command::{Command, Work, inputs};
use crate::device::CpuDevice;
use crate::launch::Launcher;
use crate::memory::own;
use cube_runtime::launch::{BoundLaunch, Repeat};
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
        let prints = Prints::new(self, kernel.artifact())?;
        let bound = self.launcher().bind(kernel, args, count, prints.buffer())?;
        self.launch_bound(queue, kernel, code, bound, prints.buffer().is_some())?;
        prints.show(self)
    }

    /// Runs or queues a launch that has passed the checks. A launch that `blocks` is complete when the call returns.
    fn launch_bound(
        &self,
        queue: Queue,
        kernel: &Kernel,
        code: &Code,
        bound: BoundLaunch<'_>,
        blocks: bool,
    ) -> Result<(), RuntimeError> {
        let launcher = self.launcher();
        let used = || bound.buffers.iter().map(|(buffer, writes)| (*buffer, *writes));
        let is_short = launcher.is_short(code, &bound);
        // A short launch waits until the preceding short launches have completed, and then runs on the calling thread.
        // If it were queued, all later launches on its buffers would also be queued, and the thread of one queue would
        // execute the launches of all threads of the program.
        let is_ready = || self.queues.poll_short(|| self.is_free(queue, used().map(|(buffer, _)| buffer)));
        let outcome = if bound.cubes == 0 {
            Ok(())
        } else if launcher.blocks() || blocks || is_short && is_ready() {
            self.wait_for(queue, used())?;
            inputs(used())?;
            let outcome = launcher.run(kernel.artifact(), code, &bound);
            if outcome.is_ok() {
                used()
                    .filter(|(_, writes)| *writes)
                    .filter_map(|(b, _)| own(b).ok())
                    .for_each(|a| a.tracking.succeed());
            }
            outcome
        } else {
            self.queue_launch(queue, kernel, &bound, is_short)
        };
        Launcher::store_arrays(bound);
        outcome
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
        let Some(bound) = self.launcher().bind_again(kernel, repeat, buffers, scalars) else { return Ok(false) };
        self.launch_bound(queue, kernel, code, bound, false).map(|()| true)
    }

    fn queue_launch(
        &self,
        queue: Queue,
        kernel: &Kernel,
        bound: &BoundLaunch<'_>,
        is_short: bool,
    ) -> Result<(), RuntimeError> {
        let fill = |command: &mut Command| {
            command.buffers.extend(bound.buffers.iter().map(|(buffer, writes)| ((*buffer).clone(), *writes)));
            command.info.extend_from_slice(&bound.info);
            command.scalars.extend_from_slice(&bound.scalars);
            (command.cube_count, command.cubes) = (bound.cube_count, bound.cubes);
            command.work = Work::Launch(kernel.clone());
            command.is_short = is_short;
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
                let outcome = if bound.cubes == 0 { Ok(()) } else { launcher.run(kernel.artifact(), code, &bound) };
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
